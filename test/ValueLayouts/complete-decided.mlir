// RUN: shardsmith-opt --plan="cluster=cpu:8" %s | FileCheck %s

// What a strategy has decided about a train step is kept to the letter: an op's
// axes say how it computes its result, the sharding how that is handed out. The
// parameter of an open dimension and what nothing is said of are completed, one
// axis of the mesh after another.

// CHECK: sdy.mesh @mesh = <["fsdp"=2, "context"=2, "tensor"=2]>
// CHECK: func.func @main(
// CHECK-SAME: %arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{{[^]]*}}{"tensor"{{[^]]*}}]>
// CHECK-SAME: %arg1: tensor<8x4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {"context"}, {}]>
// CHECK: %[[Y:.*]] = stablehlo.dot_general
// CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"fsdp"}, {"context"}, {}]>]>
// CHECK-SAME: smith.factor_axes = #smith.factor_axes<[{"fsdp"}, {"context"}, {"tensor"}, {}]>
// CHECK: stablehlo.tanh %[[Y]]
// CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"fsdp"}, {"context"}, {}]>]>
// CHECK-SAME: smith.factor_axes = #smith.factor_axes<[{"fsdp"}, {"context"}, {}]>
// What nobody would choose is kept as well: computed whole, handed out split.
// CHECK: stablehlo.tanh %arg1
// CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"fsdp"}, {}, {}]>]>
// CHECK-SAME: smith.factor_axes = #smith.factor_axes<[{}, {}, {}]>
// CHECK: return

sdy.mesh @mesh = <["fsdp"=2, "context"=2, "tensor"=2]>

func.func @main(
    %w: tensor<16x32xf32> {smith.role = "param", smith.name = "w",
        sdy.sharding = #sdy.sharding<@mesh, [{?}, {"tensor", ?}]>},
    %x: tensor<8x4x16xf32> {smith.role = "batch", smith.name = "x",
        sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {"context"}, {}]>})
    -> (tensor<16x32xf32> {smith.role = "param", smith.name = "w"},
        tensor<8x4x32xf32> {smith.role = "output", smith.name = "y"},
        tensor<8x4x16xf32> {smith.role = "output", smith.name = "z"}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0]
      {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"fsdp"}, {"context"}, {}]>]>,
       smith.factor_axes = #smith.factor_axes<[{"fsdp"}, {"context"}, {"tensor"}, {}]>}
      : (tensor<8x4x16xf32>, tensor<16x32xf32>) -> tensor<8x4x32xf32>
  %1 = stablehlo.tanh %0
      {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"fsdp"}, {"context"}, {}]>]>,
       smith.factor_axes = #smith.factor_axes<[{"fsdp"}, {"context"}, {}]>}
      : tensor<8x4x32xf32>
  %2 = stablehlo.dot_general %x, %1, contracting_dims = [0, 1] x [0, 1]
      : (tensor<8x4x16xf32>, tensor<8x4x32xf32>) -> tensor<16x32xf32>
  %3 = stablehlo.subtract %w, %2 : tensor<16x32xf32>
  %4 = stablehlo.tanh %x
      {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"fsdp"}, {}, {}]>]>,
       smith.factor_axes = #smith.factor_axes<[{}, {}, {}]>}
      : tensor<8x4x16xf32>
  return %3, %1, %4
      : tensor<16x32xf32>, tensor<8x4x32xf32>, tensor<8x4x16xf32>
}
