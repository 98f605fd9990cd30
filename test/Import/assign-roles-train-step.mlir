// RUN: shardsmith-opt %s --assign-roles="params=0 states=1-2" --split-input-file | FileCheck %s

// A step is recognised by its results, wherever the loss stands.
// CHECK-LABEL: func.func public @main(
// CHECK-SAME: tensor<8xf32> {smith.name = "arg0", smith.role = "param"}
// CHECK-SAME: tensor<8xf32> {smith.init = "zeros", smith.name = "arg1", smith.role = "state"}
// CHECK-SAME: tensor<i32> {smith.init = "zeros", smith.name = "arg2", smith.role = "state"}
// CHECK-SAME: -> (tensor<f32> {smith.name = "loss", smith.role = "loss"},
// CHECK-SAME: tensor<8xf32> {smith.name = "arg0", smith.role = "param"}
// CHECK-SAME: tensor<8xf32> {smith.name = "arg1", smith.role = "state"}
// CHECK-SAME: tensor<i32> {smith.name = "arg2", smith.role = "state"})
func.func public @main(%w: tensor<8xf32>, %m: tensor<8xf32>, %n: tensor<i32>, %x: tensor<2x8xf32>, %l: tensor<f32>)
    -> (tensor<f32>, tensor<8xf32>, tensor<8xf32>, tensor<i32>) {
  return %l, %w, %m, %n : tensor<f32>, tensor<8xf32>, tensor<8xf32>, tensor<i32>
}

// -----

// CHECK-LABEL: func.func public @main(
// CHECK-SAME: -> (tensor<8xf32> {smith.name = "arg0", smith.role = "param"}
// CHECK-SAME: tensor<f32> {smith.name = "loss", smith.role = "loss"}
// CHECK-SAME: tensor<8xf32> {smith.name = "arg1", smith.role = "state"}
// CHECK-SAME: tensor<i32> {smith.name = "arg2", smith.role = "state"}
// CHECK-SAME: tensor<2x8xf32> {smith.name = "output4", smith.role = "output"})
func.func public @main(%w: tensor<8xf32>, %m: tensor<8xf32>, %n: tensor<i32>, %x: tensor<2x8xf32>, %l: tensor<f32>)
    -> (tensor<8xf32>, tensor<f32>, tensor<8xf32>, tensor<i32>, tensor<2x8xf32>) {
  return %w, %l, %m, %n, %x : tensor<8xf32>, tensor<f32>, tensor<8xf32>, tensor<i32>, tensor<2x8xf32>
}
