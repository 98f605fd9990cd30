// RUN: shardsmith-opt --print-workload --split-input-file %s -o /dev/null | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// A loop over layers is a block with as many repetitions as iterations. What
// goes around it goes from block to block; so does what every layer reads.

// CHECK-LABEL: "model": "layers"
// CHECK: "count": 7
// CHECK: ["layers.w[0]"]
// CHECK: ["layers.w[6]"]
// CHECK: {"name": "layer"
// CHECK-NEXT: "inputs": [0,1], "outputs": [4,1], "parameters": [2]
// CHECK: {"name":"layers.w[*]","shape":[4,4],"type":"f32","role":"parameter"}
module @layers {
  func.func @main(
      %w: tensor<7x4x4xf32> {smith.role = "param", smith.name = "layers.w"},
      %v: tensor<4x4xf32> {smith.role = "param", smith.name = "v"},
      %x: tensor<2x4xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %h0 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %gate = stablehlo.tanh %h0 : tensor<2x4xf32>
    %start = stablehlo.sine %h0 : tensor<2x4xf32>
    %h = smith.loop_carry %start loop 0 of 7 number = 0 : tensor<2x4xf32>
    %wi = smith.loop_slice %w loop 0 of 7 : tensor<7x4x4xf32> -> tensor<4x4xf32>
    %d = stablehlo.dot_general %h, %wi, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %n = stablehlo.multiply %d, %gate : tensor<2x4xf32>
    %z = smith.loop_next %n for %h loop 0 of 7 : tensor<2x4xf32>
    %loss = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A loop over time is part of a block. Its ops do the work of all steps, which
// are whole, and what leaves the loop is a kernel by itself.

// CHECK-LABEL: "model": "steps"
// CHECK-DAG: {"name":"x","shape":[1,4,9],"type":"f32","role":"batch"}
// CHECK-DAG: {"name":"w","shape":[4,4],"type":"f32","role":"parameter"}
// CHECK: "kind":"matmul"
// CHECK-SAME: {"name":"steps","size":9,"kind":"whole"}
// 2 operations per product of 4 · 4 · 9 steps.
// CHECK-SAME: "flops":288
module @steps {
  func.func @main(
      %w: tensor<4x4xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<9x2x4xf32> {smith.role = "batch", smith.name = "x", smith.batch_dim = 1 : i64})
      -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %zeros = stablehlo.constant dense<0.0> : tensor<2x4xf32>
    %h = smith.loop_carry %zeros loop 0 of 9 number = 0 : tensor<2x4xf32>
    %xi = smith.loop_slice %x loop 0 of 9 : tensor<9x2x4xf32> -> tensor<2x4xf32>
    %d = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %s = stablehlo.add %d, %xi : tensor<2x4xf32>
    %n = stablehlo.tanh %s : tensor<2x4xf32>
    %z = smith.loop_next %n for %h loop 0 of 9 : tensor<2x4xf32>
    %ys = smith.loop_stack %n loop 0 of 9 : tensor<2x4xf32> -> tensor<9x2x4xf32>
    %last = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
    %all = stablehlo.reduce(%ys init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<9x2x4xf32>, tensor<f32>) -> tensor<f32>
    %loss = stablehlo.add %last, %all : tensor<f32>
    return %loss : tensor<f32>
  }
}
