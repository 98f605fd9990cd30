// RUN: shardsmith-opt %s --import-sdy-ops --split-input-file --verify-diagnostics

// Values differ along a manual axis: there the sum changes them.
sdy.mesh @m = <["x"=2, "y"=2]>
func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%a: tensor<4xf32>) {
    // expected-error @below {{unsupported: 'sdy.all_reduce' over "x", a manual axis, over which values differ between devices; use a collective of stablehlo there}}
    %1 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}]> : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=2, "y"=2]>
func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%a: tensor<4xf32>) {
    // expected-error @below {{unsupported: 'sdy.sharding_constraint' over "x", a manual axis}}
    %1 = sdy.sharding_constraint %a <@m, [{"x"}]> : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=2, "y"=2]>
// expected-error @below {{unsupported: argument 0 is given as partial sums, unreduced over "y"; give it whole}}
func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}], unreduced={"y"}>}) {
  return
}
