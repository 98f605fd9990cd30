// RUN: shardsmith-opt %s --global-to-local -split-input-file -verify-diagnostics

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32>) {
  // expected-error@below {{is left; run reshards-to-collectives before global-to-local}}
  %1 = sdy.reshard %0 <@mesh, [{"x"}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // expected-error@below {{is split but has no 'smith.factor_axes'; run insert-reshards before}}
  %1 = stablehlo.tanh %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32>) {
  // expected-error@below {{needs operand 0 as [{"x"}] but it is [{}]; run insert-reshards before}}
  %1 = stablehlo.tanh %0 {smith.factor_axes = #smith.factor_axes<[{"x"}]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32>) {
  // expected-error@below {{cannot be split as 'smith.factor_axes' says: the op has 1 factors but axes are given for 0}}
  %1 = stablehlo.tanh %0 {smith.factor_axes = #smith.factor_axes<[]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @f(%0: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) {
  // expected-error@below {{changes dimension 0 of size 10 between 6 and 2 shards, of which the small ones are no parts of the large ones; gather the dimension whole first}}
  %1 = sdy.all_gather [{"y"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<10xf32>
  return
}

// -----

// expected-error@below {{the mesh has 4294967296 devices: programs are made for 1048576 at most}}
module {
  sdy.mesh @mesh = <["x"=4294967296]>
  func.func @f(%0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %1 = stablehlo.reverse %0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<12xf32>
    return %1 : tensor<12xf32>
  }
}
