// RUN: shardsmith-opt --print-workload --split-input-file %s -o /dev/null | FileCheck %s
// RUN: shardsmith-opt --train --split-input-file %s | FileCheck %s --check-prefix=TRAIN

// Ops of inlined calls are units by what they say, whatever else repeats: the
// first two ops are like the begin of a layer and none. Passes put ops without
// a note between those that have one (the second product). A layer that comes
// again, behind another one, is the same block. The train step has no notes.

// TRAIN-NOT: smith.call
// CHECK-LABEL: "model": "inlined"
// CHECK: {"block": 0, "count": 1,
// CHECK-NEXT: "parameter_names": [
// CHECK-NEXT: ["first"]
// CHECK: {"block": 1, "count": 2,
// CHECK-NEXT: "parameter_names": [
// CHECK-NEXT: ["w0"],
// CHECK-NEXT: ["w1"]
// CHECK: {"block": 2, "count": 1,
// CHECK: {"block": 1, "count": 1,
// CHECK-NEXT: "parameter_names": [
// CHECK-NEXT: ["w2"]
// CHECK: {"block": 3, "count": 1,
module @inlined {
  func.func @main(
      %first: tensor<8x8xf32> {smith.name = "first", smith.role = "param"},
      %w0: tensor<8x8xf32> {smith.name = "w0", smith.role = "param"},
      %w1: tensor<8x8xf32> {smith.name = "w1", smith.role = "param"},
      %w2: tensor<8x8xf32> {smith.name = "w2", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %a0 = stablehlo.dot_general %x, %first, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %b0 = stablehlo.tanh %a0 : tensor<4x8xf32>
    %a1 = stablehlo.dot_general %b0, %w0, contracting_dims = [1] x [0] {smith.call = {callee = "layer", number = 0 : i64}} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %b1 = stablehlo.tanh %a1 {smith.call = {callee = "layer", number = 0 : i64}} : tensor<4x8xf32>
    %a2 = stablehlo.dot_general %b1, %w1, contracting_dims = [1] x [0] {smith.call = {callee = "layer", number = 1 : i64}} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %b2 = stablehlo.tanh %a2 {smith.call = {callee = "layer", number = 1 : i64}} : tensor<4x8xf32>
    %s = stablehlo.sine %b2 {smith.call = {callee = "between", number = 2 : i64}} : tensor<4x8xf32>
    %t = stablehlo.dot_general %s, %w0, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %u = stablehlo.cosine %t {smith.call = {callee = "between", number = 2 : i64}} : tensor<4x8xf32>
    %a3 = stablehlo.dot_general %u, %w2, contracting_dims = [1] x [0] {smith.call = {callee = "layer", number = 3 : i64}} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %b3 = stablehlo.tanh %a3 {smith.call = {callee = "layer", number = 3 : i64}} : tensor<4x8xf32>
    %loss = stablehlo.reduce(%b3 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Passes may have moved ops of one call between those of another. The chain is
// cut where the calls change, and computes the same.

// CHECK-LABEL: "model": "mixed"
// CHECK: {"block": 0, "count": 1,
// CHECK: {"block": 1, "count": 1,
// CHECK: {"block": 2, "count": 1,
// CHECK: {"block": 3, "count": 1,
module @mixed {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {smith.call = {callee = "layer", number = 0 : i64}} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] {smith.call = {callee = "other", number = 1 : i64}} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %2 = stablehlo.tanh %0 {smith.call = {callee = "layer", number = 0 : i64}} : tensor<4x8xf32>
    %3 = stablehlo.add %1, %2 : tensor<4x8xf32>
    %loss = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
