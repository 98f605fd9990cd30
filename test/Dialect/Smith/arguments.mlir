// RUN: shardsmith-opt %s | FileCheck %s

// CHECK-LABEL: @main
// CHECK-SAME: smith.init = "normal:0.02"
func.func public @main(
    %w: tensor<8x4xf32> {smith.role = "param", smith.name = "w", smith.init = "normal:0.02"},
    %m: tensor<4x4xf32> {smith.role = "state", smith.name = "w.momentum", smith.init = "zeros", smith.global_shape = array<i64: 8, 4>},
    %c: tensor<4xf32> {smith.role = "constant", smith.name = "table", smith.init = "constant:-1.5"},
    %t: tensor<4x64xi32> {smith.role = "batch", smith.name = "tokens", smith.batch_dim = 0 : i64, smith.limit = 50257 : i64},
    %r: tensor<3x4xf32> {smith.role = "param", smith.name = "r[2:5]", smith.rows = array<i64: 2, 5, 6>},
    %s: tensor<i32> {smith.role = "batch", smith.name = "step", smith.batch_dim = -1 : i64})
    -> (tensor<8x4xf32> {smith.role = "param", smith.name = "w"},
        tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  return %w, %0 : tensor<8x4xf32>, tensor<f32>
}
