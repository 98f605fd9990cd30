// RUN: shardsmith-opt %s --train=optimizer=adamw | FileCheck %s
// Parameters, the model's own states, the optimizer's, then batch and constant
// arguments; new parameters, states, the loss and the model's outputs.

// CHECK:      func.func public @main(
// CHECK-SAME: %arg0: tensor<4xf32> {smith.init = "ones", smith.name = "w", smith.role = "param"}
// CHECK-SAME: %arg1: tensor<2xf32> {smith.name = "b", smith.role = "param"}
// CHECK-SAME: %arg2: tensor<f32> {smith.name = "mean", smith.role = "state"}
// CHECK-SAME: %arg3: tensor<i32> {smith.init = "zeros", smith.name = "adamw.count", smith.role = "state"}
// CHECK-SAME: %arg4: tensor<4xf32> {smith.init = "zeros", smith.name = "adamw.mu.w", smith.role = "state"}
// CHECK-SAME: %arg5: tensor<2xf32> {smith.init = "zeros", smith.name = "adamw.mu.b", smith.role = "state"}
// CHECK-SAME: %arg6: tensor<4xf32> {smith.init = "zeros", smith.name = "adamw.nu.w", smith.role = "state"}
// CHECK-SAME: %arg7: tensor<2xf32> {smith.init = "zeros", smith.name = "adamw.nu.b", smith.role = "state"}
// CHECK-SAME: %arg8: tensor<4xf32> {smith.name = "x", smith.role = "batch"}
// CHECK-SAME: %arg9: tensor<2xf32> {smith.name = "c", smith.role = "constant"}
// CHECK-SAME: -> (tensor<4xf32> {smith.name = "w", smith.role = "param"}
// CHECK-SAME: tensor<2xf32> {smith.name = "b", smith.role = "param"}
// CHECK-SAME: tensor<f32> {smith.name = "mean", smith.role = "state"}
// CHECK-SAME: tensor<i32> {smith.name = "adamw.count", smith.role = "state"}
// CHECK-SAME: tensor<4xf32> {smith.name = "adamw.mu.w", smith.role = "state"}
// CHECK-SAME: tensor<2xf32> {smith.name = "adamw.mu.b", smith.role = "state"}
// CHECK-SAME: tensor<4xf32> {smith.name = "adamw.nu.w", smith.role = "state"}
// CHECK-SAME: tensor<2xf32> {smith.name = "adamw.nu.b", smith.role = "state"}
// CHECK-SAME: tensor<f32> {smith.name = "loss", smith.role = "loss"}
// CHECK-SAME: tensor<4xf32> {smith.name = "logits", smith.role = "output"})
func.func public @main(
    %x: tensor<4xf32> {smith.name = "x", smith.role = "batch"},
    %w: tensor<4xf32> {smith.init = "ones", smith.name = "w", smith.role = "param"},
    %mean: tensor<f32> {smith.name = "mean", smith.role = "state"},
    %c: tensor<2xf32> {smith.name = "c", smith.role = "constant"},
    %b: tensor<2xf32> {smith.name = "b", smith.role = "param"})
    -> (tensor<4xf32> {smith.name = "logits", smith.role = "output"},
        tensor<f32> {smith.name = "loss", smith.role = "loss"},
        tensor<f32> {smith.name = "mean", smith.role = "state"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %w, %x : tensor<4xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.multiply %b, %c : tensor<2xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  %loss = stablehlo.add %1, %3 : tensor<f32>
  %new = stablehlo.add %mean, %1 : tensor<f32>
  return %0, %loss, %new : tensor<4xf32>, tensor<f32>, tensor<f32>
}
