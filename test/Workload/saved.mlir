// RUN: shardsmith-opt --print-workload --split-input-file %s -o /dev/null | FileCheck %s

// The backward pass of sums, signs and factors that are constant reads nothing.
// Of a product it reads the other operand, so the input of the second one is
// saved, and results that only sums read are not.

// CHECK-LABEL: "model": "linear_reads_nothing"
// CHECK: {"name":"w.out","shape":[1,8],"type":"f32","role":"activation"}
// CHECK-NEXT: {"name":"negate.out","shape":[1,8],"type":"f32","role":"activation","saved":true}
// CHECK: {"name":"v.out","shape":[1,8],"type":"f32","role":"activation"}
// CHECK-NEXT: {"name":"reduce.out","shape":[],"type":"f32","role":"activation"}
// Partial sums may go through what is linear.
// CHECK: {"name":"negate","kind":"fused"
// CHECK-SAME: "linear_operand_sets":{{.}}[0]]
// CHECK: {"name":"reduce","kind":"fused"
// CHECK-SAME: "linear_operand_sets":{{.}}[0,1]]
module @linear_reads_nothing {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %v: tensor<8x8xf32> {smith.name = "v", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %half = stablehlo.constant dense<0.5> : tensor<4x8xf32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.multiply %0, %half : tensor<4x8xf32>
    %2 = stablehlo.negate %1 : tensor<4x8xf32>
    %3 = stablehlo.dot_general %2, %v, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %4 = stablehlo.add %3, %0 : tensor<4x8xf32>
    %loss = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// What is computed inside of a kernel is computed again from what the kernel
// reads: of four values in a row the first and the last are in memory, the first
// for this kernel's own backward pass, the last for that of the product.

// CHECK-LABEL: "model": "computed_again"
// CHECK: {"name":"w.out",{{.*}},"saved":true}
// CHECK-NEXT: {"name":"tanh.out",{{.*}},"saved":true}
// CHECK-NEXT: {"name":"v","shape"
// CHECK-NOT: "name":"exponential
// CHECK-NOT: "name":"sine
// CHECK: {"name":"tanh","kind":"fused"
// CHECK-SAME: "operands":[{"tensor":2,"dims":{{.}}["b"],["n8"]]}],"results":[{"tensor":3,"dims":{{.}}["b"],["n8"]]}]
module @computed_again {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %v: tensor<8x8xf32> {smith.name = "v", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.exponential %0 : tensor<4x8xf32>
    %2 = stablehlo.sine %1 : tensor<4x8xf32>
    %3 = stablehlo.tanh %2 : tensor<4x8xf32>
    %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Products of the batch with itself have no backward pass, and what multiplies
// them has no gradient to hand on. That samples are mixed is an obstacle to
// micro-batches.

// CHECK-LABEL: "model": "no_gradient"
// CHECK: "micro_batch_obstacle": "'stablehlo.dot_general' at {{.*}} combines a value of the whole batch with values of single sequences"
// CHECK: {"name":"w.out","shape":[1,8],"type":"f32","role":"activation"}
// CHECK: {"name":"dot_general.out","shape":[1,1],{{.*}},"saved":true}
// CHECK: {"name":"dot_general","kind":"matmul"
// CHECK-SAME: {"name":"b","size":1,"role":"batch"},{"name":"b_2","size":1,"role":"batch"}
// CHECK-SAME: "has_backward":false}
// CHECK: {"name":"dot_general","kind":"matmul"
// CHECK-SAME: {"name":"b_2","size":1,"kind":"reduction","role":"batch"}
// CHECK-NOT: "has_backward"
// CHECK: "name":"reduce"
module @no_gradient {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"},
      %y: tensor<4x8xf32> {smith.name = "y", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %gram = stablehlo.dot_general %y, %y, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
    %mixed = stablehlo.dot_general %gram, %0, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%mixed init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A value that all readers narrow is saved narrow.

// CHECK-LABEL: "model": "narrow_saved"
// CHECK: {"name":"w.out","shape":[1,8],"type":"bf16","role":"activation","saved":true}
// CHECK: {"name":"v.out","shape":[1,8],"type":"f32","role":"activation","saved":true}
// CHECK-NOT: "name":"convert
module @narrow_saved {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %v: tensor<8x8xbf16> {smith.name = "v", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %n = stablehlo.convert %0 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %1 = stablehlo.dot_general %n, %v, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<4x8xf32>
    %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A choice by data saves nothing of what it chooses from, since its derivative
// reads the data alone. Where the choice is constant zero nothing is read.

// CHECK-LABEL: "model": "selected"
// CHECK: {"name":"w.out","shape":[1,8],"type":"f32","role":"activation"}
// CHECK: {"name":"keep","shape":[1,8],"type":"i1","role":"batch"}
// CHECK: {"name":"reduce","kind":"fused"
// CHECK-SAME: "operands":[{"tensor":4,{{.*}}},{"tensor":2,
// CHECK-NOT: "linear_operand_sets"
// CHECK-SAME: "flops":16}
module @selected {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"},
      %keep: tensor<4x8xi1> {smith.name = "keep", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %zeros = stablehlo.constant dense<0.0> : tensor<4x8xf32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.select %keep, %0, %zeros : tensor<4x8xi1>, tensor<4x8xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
