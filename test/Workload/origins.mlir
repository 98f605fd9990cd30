// RUN: shardsmith-opt --print-workload --split-input-file %s -o /dev/null | FileCheck %s

// A batch argument that is the same for all samples has no batch dimension, and
// what is made of it alone has none either: the product is one of 16 rows, not
// of 16 rows per sample. Scalars count no samples.

// CHECK-LABEL: "model": "same_for_all_samples"
// CHECK: "global_batch": 4
// CHECK-NEXT: "sequence_length": 1
// CHECK: {"name":"grid","shape":[16,8],"type":"f32","role":"batch"}
// CHECK: {"name":"y","shape":[1,16,8],"type":"f32","role":"batch"}
// CHECK-NEXT: {"name":"rate","shape":[],"type":"f32","role":"batch"}
// CHECK: {"name":"w","kind":"matmul"
// CHECK-SAME: "factors":[{"name":"n16","size":16},{"name":"n8","size":8},{"name":"n8_2","size":8,"kind":"reduction"}]
// The batch comes in where the two meet.
// CHECK: {"name":"reduce","kind":"fused"
// CHECK-SAME: {"name":"b","size":1,"kind":"reduction","role":"batch"}
// CHECK-SAME: {"tensor":2,"dims":{{.}}["n16"],["n8"]]},{"tensor":4,"dims":{{.}}["b"],["n16"],["n8"]]},{"tensor":5,"dims":[]}
module @same_for_all_samples {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %grid: tensor<16x8xf32> {smith.name = "grid", smith.role = "batch", smith.batch_dim = -1 : i64},
      %rate: tensor<f32> {smith.name = "rate", smith.role = "batch"},
      %y: tensor<4x16x8xf32> {smith.name = "y", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %grid, %w, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<16x8xf32>) -> tensor<4x16x8xf32>
    %2 = stablehlo.multiply %1, %y : tensor<4x16x8xf32>
    %rates = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<4x16x8xf32>
    %3 = stablehlo.multiply %2, %rates : tensor<4x16x8xf32>
    %loss = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// What is made of constants alone costs nothing, be it a product: sines of
// positions, arguments that never change, and a table made of these. A product
// that reads the table is one like others.

// CHECK-LABEL: "model": "tables"
// CHECK: "parameters": [1]
// CHECK: "shape":[8,8],"type":"f32","role":"constant"}
// CHECK-NOT: "shape":[16,8]
// CHECK-COUNT-2: "kind":"matmul"
// CHECK-NOT: "kind":"matmul"
// CHECK: {"name":"reduce","kind":"fused"
module @tables {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %c: tensor<16x8xf32> {smith.name = "c", smith.role = "constant"},
      %x: tensor<4x16x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %places = stablehlo.iota dim = 0 : tensor<16x8xf32>
    %waves = stablehlo.sine %places : tensor<16x8xf32>
    %both = stablehlo.add %waves, %c : tensor<16x8xf32>
    %table = stablehlo.dot_general %both, %both, contracting_dims = [0] x [0] : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<4x16x8xf32>, tensor<8x8xf32>) -> tensor<4x16x8xf32>
    %1 = stablehlo.dot_general %0, %table, contracting_dims = [2] x [0] : (tensor<4x16x8xf32>, tensor<8x8xf32>) -> tensor<4x16x8xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Only where all elements of a stack are used is each a parameter by itself. Here
// the last one is not, so the stack is one parameter, of which products read a
// row each.

// CHECK-LABEL: "model": "parts_of_a_stack"
// CHECK: "parameter_names": [
// CHECK-NEXT: ["ws"]
// CHECK: {"name":"ws","shape":[3,8,8],"type":"f32","role":"parameter"}
// CHECK: {"name":"ws","kind":"matmul"
// CHECK-SAME: {"tensor":1,"dims":{{.}}[],["n8_2"],["n8"]]}
// CHECK: {"name":"ws","kind":"matmul"
// CHECK-SAME: {"tensor":1,"dims":{{.}}[],["n8_2"],["n8"]]}
module @parts_of_a_stack {
  func.func @main(
      %ws: tensor<3x8x8xf32> {smith.name = "ws", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %s0 = stablehlo.slice %ws [0:1, 0:8, 0:8] : (tensor<3x8x8xf32>) -> tensor<1x8x8xf32>
    %w0 = stablehlo.reshape %s0 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    %0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %s1 = stablehlo.slice %ws [1:2, 0:8, 0:8] : (tensor<3x8x8xf32>) -> tensor<1x8x8xf32>
    %w1 = stablehlo.reshape %s1 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.dot_general %0, %w1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// The hash is that of the imported graph, where the module has one. The type is
// that of the operands of the first of the largest products; a change of type is
// a view, and results are saved as they are.

// CHECK-LABEL: "model": "half"
// CHECK-NEXT: "model_hash": "0123456789abcdef"
// CHECK: "compute_type": "f16"
// CHECK: {"name":"w.out","shape":[1,16],"type":"f16","role":"activation","saved":true}
// CHECK: {"name":"v","shape":[16,8],"type":"f32","role":"parameter"}
// CHECK-NOT: "name":"convert
module @half attributes {smith.model_hash = "0123456789abcdef"} {
  func.func @main(
      %w: tensor<8x16xf16> {smith.name = "w", smith.role = "param"},
      %v: tensor<16x8xf32> {smith.name = "v", smith.role = "param"},
      %x: tensor<4x8xf16> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf16>, tensor<8x16xf16>) -> tensor<4x16xf16>
    %1 = stablehlo.convert %0 : (tensor<4x16xf16>) -> tensor<4x16xf32>
    %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
