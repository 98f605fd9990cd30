// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s

// Where a value is split in some way, so is its cotangent; that of a partial
// sum is whole.
// CHECK-LABEL: @main
// CHECK: sdy.sharding_constraint %arg0 <@mesh, [{"a"}, {?}]> : tensor<4x2xf32>
// CHECK: sdy.sharding_constraint %{{.*}} <@mesh, [{}, {"b"}], unreduced={"a"}> : tensor<4x2xf32>
// CHECK: stablehlo.reduce
// CHECK-NEXT: %[[G1:.*]] = sdy.sharding_constraint %{{.*}} <@mesh, [{}, {"b"}]> : tensor<4x2xf32>
// CHECK: %[[G2:.*]] = stablehlo.negate %[[G1]]
// CHECK: %[[G3:.*]] = sdy.sharding_constraint %[[G2]] <@mesh, [{"a"}, {?}]> : tensor<4x2xf32>
// CHECK: return %[[G3]], %{{.*}}
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func public @main(%w: tensor<4x2xf32> {smith.role = "param", smith.name = "w"})
    -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = sdy.sharding_constraint %w <@mesh, [{"a"}, {?}]> : tensor<4x2xf32>
  %1 = stablehlo.negate %0 : tensor<4x2xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"b"}], unreduced={"a"}> : tensor<4x2xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<4x2xf32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}
