// RUN: shardsmith-opt %s --assign-roles=params=0-1 --split-input-file | FileCheck %s

// Names from locations and positions, roles from the option, the rest batch.
// CHECK-LABEL: func.func public @main(
// CHECK-SAME: %{{.*}}: tensor<4x8xf32> {smith.name = "params.blocks[0].w", smith.role = "param"}
// CHECK-SAME: %{{.*}}: tensor<8xf32> {smith.name = "arg1", smith.role = "param"}
// CHECK-SAME: %{{.*}}: tensor<2x4xf32> {smith.batch_dim = 0 : i64, smith.name = "arg2", smith.role = "batch"}
// CHECK-SAME: %{{.*}}: tensor<f32> {smith.batch_dim = -1 : i64, smith.name = "arg3", smith.role = "batch"}
// CHECK-SAME: -> (tensor<f32> {smith.name = "loss", smith.role = "loss"})
func.func public @main(
    %w: tensor<4x8xf32> {tf.aliasing_output = 0 : i32} loc("params['blocks'][0]['w']"),
    %b: tensor<8xf32> {mhlo.layout_mode = "default"},
    %x: tensor<2x4xf32>, %scale: tensor<f32>) -> (tensor<f32> {jax.result_info = "result"}) {
  return %scale : tensor<f32>
}

// -----

// Attributes in the file are kept where no option says otherwise, and outputs
// may follow the loss.
// CHECK-LABEL: func.func public @main(
// CHECK-SAME: smith.init = "ones", smith.name = "w", smith.role = "param"
// CHECK-SAME: smith.name = "arg1", smith.role = "param"
// CHECK-SAME: smith.batch_dim = 1 : i64, smith.limit = 9 : i64, smith.name = "tokens", smith.role = "batch"
// CHECK-SAME: smith.name = "table", smith.role = "constant"
// CHECK-SAME: -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}, tensor<4x2xi32> {smith.name = "output1", smith.role = "output"})
func.func public @main(
    %w: tensor<f32> {smith.init = "ones", smith.name = "w", smith.role = "state"},
    %b: tensor<8xf32>,
    %x: tensor<4x2xi32> {smith.batch_dim = 1 : i64, smith.limit = 9 : i64, smith.name = "tokens", smith.role = "batch"},
    %t: tensor<8xf32> {smith.name = "table", smith.role = "constant"}) -> (tensor<f32>, tensor<4x2xi32>) {
  return %w, %x : tensor<f32>, tensor<4x2xi32>
}
