// RUN: shardsmith-opt %s --insert-reshards -split-input-file -verify-diagnostics

// expected-error@below {{expected exactly one sdy.mesh in the module, got 0}}
module {
  func.func @f() { return }
}

// -----

module {
  // expected-error@below {{orders devices explicitly; only the row-major order can be partitioned: drop device_ids}}
  sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
}

// -----

sdy.mesh @mesh = <["x"=4]>
// expected-error@below {{uses a part of mesh axis "x"; split the axis in the mesh instead}}
func.func @f(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32>) {
  // expected-error@below {{splits a factor over axis "q", which the mesh does not have}}
  %1 = stablehlo.tanh %0 {smith.factor_axes = #smith.factor_axes<[{"q"}]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32>) {
  // expected-error@below {{cannot be split as 'smith.factor_axes' says: the op has 1 factors but axes are given for 2; its rule is ([i])->([i]) {i=8}}}
  %1 = stablehlo.tanh %0 {smith.factor_axes = #smith.factor_axes<[{"x"}, {}]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32>, %i: tensor<i32>) {
  // expected-error@below {{cannot be split as 'smith.factor_axes' says: factor 1 must not be split}}
  %1 = stablehlo.dynamic_slice %0, %i, sizes = [4] {smith.factor_axes = #smith.factor_axes<[{}, {"x"}]>} : (tensor<8xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=3]>
func.func @f(%0: tensor<4x2xf32>) {
  // expected-error@below {{factor 0 of size 4 cannot be split into 3 equal parts, and it is only a part of a dimension}}
  %1 = stablehlo.reshape %0 {smith.factor_axes = #smith.factor_axes<[{"x"}, {}]>} : (tensor<4x2xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<4x2xf32>) {
  // expected-error@below {{a factor is split below one that is not split to single elements}}
  %1 = stablehlo.reshape %0 {smith.factor_axes = #smith.factor_axes<[{}, {"x"}]>} : (tensor<4x2xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32>) {
  // expected-error@below {{operands are partial sums but the op has no linear set 0}}
  %1 = stablehlo.tanh %0 {smith.factor_axes = #smith.factor_axes<[{}], partial={"x"}>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // expected-error@below {{cannot be partitioned}}
  %1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8xf32>
  return
}
