// RUN: shardsmith-opt --train=optimizer=sgd --plan="cluster=%S/../Plan/Inputs/two-plain.json profile=%S/../Plan/Inputs/plain.json fix=tensor=2" %s | FileCheck %s --check-prefix=TENSOR
// RUN: shardsmith-opt --train=optimizer=sgd --plan="cluster=%S/../Plan/Inputs/two-plain.json profile=%S/../Plan/Inputs/plain.json fix=data=2" %s | FileCheck %s --check-prefix=DATA
// RUN: shardsmith-opt --train=optimizer=sgd --plan="cluster=%S/../Plan/Inputs/two-plain.json profile=%S/../Plan/Inputs/plain.json fix=fsdp=2" %s | FileCheck %s --check-prefix=FSDP

// A machine on which products cost what they compute, and exchanges a nanosecond
// per byte. There are 8 rows and 2 · 64 · 256 parameters, so everything of the
// batch is small beside what parameters are.

// Up by columns and down by rows exchange four bytes, the loss: the reduction to
// it is linear, so partial sums pass through it.

// TENSOR: func.func @main(%[[UP:.*]]: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"tensor"}]>, smith.name = "up"
// TENSOR-SAME: %[[DOWN:.*]]: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"tensor"}, {}]>, smith.name = "down"
// TENSOR-SAME: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>
// TENSOR: stablehlo.dot_general %{{.*}}, %[[UP]], contracting_dims = [1] x [0] {{.*}}[{}, {"tensor"}]{{.*}} smith.factor_axes = #smith.factor_axes<[{}, {"tensor"}, {}]>
// TENSOR: stablehlo.tanh {{.*}}#smith.factor_axes<[{}, {"tensor"}]>
// TENSOR: stablehlo.dot_general %{{.*}}, %[[DOWN]], contracting_dims = [1] x [0] {{.*}}unreduced={"tensor"}{{.*}} smith.factor_axes = #smith.factor_axes<[{}, {}, {"tensor"}]>
// TENSOR: stablehlo.reduce({{.*}}smith.factor_axes = #smith.factor_axes<[{}, {}], partial={"tensor"}>

// Gradients and updates are split as the parameters are.

// TENSOR: stablehlo.dot_general {{.*}}contracting_dims = [0] x [0] {{.*}}#smith.factor_axes<[{"tensor"}, {}, {}]>{{.*}} -> tensor<256x64xf32>
// TENSOR: stablehlo.add %[[DOWN]], %{{.*}}#smith.factor_axes<[{"tensor"}, {}]>
// TENSOR: stablehlo.dot_general {{.*}}contracting_dims = [0] x [0] {{.*}}#smith.factor_axes<[{}, {"tensor"}, {}]>{{.*}} -> tensor<64x256xf32>
// TENSOR: stablehlo.add %[[UP]], %{{.*}}#smith.factor_axes<[{}, {"tensor"}]>

// With parameters that are whole at the borders of the step, and a batch that is
// split, it is cheaper to gather the 2048 bytes of the batch, work on parts of the
// parameters, and gather what is new of them, half of 131072 bytes, than to sum
// up all gradients, which would move 131072.

// DATA: func.func @main(%[[UP:.*]]: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>, smith.name = "up"
// DATA-SAME: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>, smith.name = "down"
// DATA-SAME: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>
// DATA: stablehlo.dot_general %{{.*}}, %[[UP]], contracting_dims = [1] x [0] {{.*}}smith.factor_axes = #smith.factor_axes<[{}, {"data"}, {}]>
// DATA: stablehlo.dot_general {{.*}}contracting_dims = [0] x [0] {{.*}}#smith.factor_axes<[{"data"}, {}, {}]>{{.*}} -> tensor<256x64xf32>

// Fully sharded, parameters are split where they are used, so that none is ever
// gathered: only the batch is.

// FSDP: func.func @main(%{{.*}}: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"fsdp"}]>, smith.name = "up"
// FSDP-SAME: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {}]>, smith.name = "down"
// FSDP-SAME: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {}]>
// FSDP: stablehlo.tanh {{.*}}#smith.factor_axes<[{}, {"fsdp"}]>
// FSDP: stablehlo.reduce({{.*}}partial={"fsdp"}>

func.func @main(
    %up: tensor<64x256xf32> {smith.role = "param", smith.name = "up"},
    %down: tensor<256x64xf32> {smith.role = "param", smith.name = "down"},
    %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %up, contracting_dims = [1] x [0]
      : (tensor<8x64xf32>, tensor<64x256xf32>) -> tensor<8x256xf32>
  %1 = stablehlo.tanh %0 : tensor<8x256xf32>
  %2 = stablehlo.dot_general %1, %down, contracting_dims = [1] x [0]
      : (tensor<8x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
  %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add
      across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
