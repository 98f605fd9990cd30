// RUN: shardsmith-opt %s --merge-meshes --split-input-file | FileCheck %s

// The axes of the first mesh stay where they are fine enough.
// CHECK: sdy.mesh @m = <["x"=2, "one"=1, "y"=2]>
// CHECK-NOT: sdy.mesh
// CHECK-LABEL: func.func public @finer_first(
// CHECK-SAME: <@m, [{"x"}, {"y"}]>
// CHECK-SAME: <@m, [{"x", "y"}p1, {}]>
sdy.mesh @m = <["x"=2, "one"=1, "y"=2]>
sdy.mesh @n = <["all"=4, "none"=1]>
func.func public @finer_first(
    %a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>},
    %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@n, [{"all"}p1, {"none"}p2]>}) -> tensor<8x4xf32> {
  // CHECK: sdy.sharding_constraint %{{.*}} <@m, [{}, {?}], replicated={"x", "y"}>
  // CHECK: stablehlo.add {{.*}}[<@m, [{}, {}], unreduced=max{"x", "y"}>]
  %0 = sdy.sharding_constraint %a <@n, [{}, {?}], replicated={"all"}> : tensor<8x4xf32>
  %1 = stablehlo.add %0, %b {sdy.sharding = #sdy.sharding_per_value<[<@n, [{}, {}], unreduced=max{"all"}>]>} : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// Each cuts the other; the new names are free.
// CHECK: sdy.mesh @m = <["x"=2, "y_0_"=2, "y_1"=2, "y_0"=1]>
// CHECK-LABEL: func.func public @both_cut(
// CHECK-SAME: <@m, [{"x"}, {"y_0_", "y_1"}]>
// CHECK-SAME: <@m, [{"y_1"}, {"x", "y_0_"}]>
sdy.mesh @m = <["x"=2, "y"=4, "y_0"=1]>
sdy.mesh @n = <["a"=4, "b"=2]>
func.func public @both_cut(
    %a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>},
    %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@n, [{"b"}, {"a"}]>}) {
  return
}

// -----

// A manual computation is over the new axes, too.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func public @manual(
// CHECK: in_shardings=[<@m, [{"x", "y"}]>] out_shardings=[<@m, [{"x", "y"}]>] manual_axes={"x", "y"}
sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @n = <["all"=4]>
func.func public @manual(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@n, [{"all"}]>] out_shardings=[<@n, [{"all"}]>] manual_axes={"all"} (%b: tensor<2xf32>) {
    sdy.return %b : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// What nothing names goes, whatever its size, but for one that may be the
// mesh the plan is to use.
// CHECK: sdy.mesh @used = <["x"=2]>
// CHECK-NOT: sdy.mesh
// CHECK-LABEL: func.func public @no_other(
sdy.mesh @unused = <["x"=8]>
sdy.mesh @used = <["x"=2]>
func.func public @no_other(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@used, [{"x"}]>}) {
  return
}

// -----

// CHECK: sdy.mesh @one = <[]>
// CHECK-NOT: sdy.mesh
// CHECK-LABEL: func.func public @one_device(
// CHECK: in_shardings=[<@one, [{}]>] out_shardings=[<@one, [{}]>] manual_axes={}
// CHECK: in_shardings=[<@one, [{}]>] out_shardings=[<@one, [{}]>] manual_axes={}
sdy.mesh @one = <[]>
sdy.mesh @other = <["x"=1]>
func.func public @one_device(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@one, [{}]>] out_shardings=[<@one, [{}]>] manual_axes={} (%b: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@other, [{"x"}]>] out_shardings=[<@other, [{}]>] manual_axes={"x"} (%b: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// CHECK: sdy.mesh @first = <["x"=8]>
// CHECK-NOT: sdy.mesh
// CHECK-LABEL: func.func public @none_used(
sdy.mesh @first = <["x"=8]>
sdy.mesh @second = <["x"=2]>
func.func public @none_used() {
  return
}
