// RUN: shardsmith-opt %s --simplify-graph --split-input-file | FileCheck %s
//
// Tensors without elements take no part in a computation.

// CHECK-LABEL: func.func @concatenate
// CHECK-NEXT: return %arg0
func.func @concatenate(%x: tensor<4x3xf32>, %e: tensor<0x3xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.negate %e : tensor<0x3xf32>
  %1 = stablehlo.concatenate %0, %x, dim = 0 : (tensor<0x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// -----

// CHECK-LABEL: func.func @parts
// CHECK: %[[R:.+]] = stablehlo.concatenate %arg0, %arg1, dim = 0
// CHECK-NEXT: return %[[R]]
func.func @parts(%x: tensor<4xf32>, %y: tensor<2xf32>, %e: tensor<0xf32>) -> tensor<6xf32> {
  %0 = stablehlo.concatenate %x, %e, %y, dim = 0 : (tensor<4xf32>, tensor<0xf32>, tensor<2xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// A slice of nothing is a constant of nothing.
// CHECK-LABEL: func.func @slice
// CHECK-NEXT: %[[R:.+]] = stablehlo.constant dense<> : tensor<0x3xf32>
// CHECK-NEXT: return %[[R]]
func.func @slice(%x: tensor<4x3xf32>) -> tensor<0x3xf32> {
  %0 = stablehlo.slice %x [4:4, 0:3] : (tensor<4x3xf32>) -> tensor<0x3xf32>
  %1 = stablehlo.tanh %0 : tensor<0x3xf32>
  return %1 : tensor<0x3xf32>
}

// -----

// CHECK-LABEL: func.func @pad
// CHECK-NEXT: %[[R:.+]] = stablehlo.broadcast_in_dim %arg1, dims = []
// CHECK-NEXT: return %[[R]]
func.func @pad(%e: tensor<0xf32>, %v: tensor<f32>) -> tensor<4xf32> {
  %0 = stablehlo.pad %e, %v, low = [4], high = [0], interior = [0] : (tensor<0xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @reduce
// CHECK-NEXT: %[[R:.+]] = stablehlo.broadcast_in_dim %arg1, dims = []
// CHECK-NEXT: return %[[R]]
func.func @reduce(%e: tensor<0x3xf32>, %v: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.reduce(%e init: %v) applies stablehlo.add across dimensions = [0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @dot
// CHECK: %[[ZERO:.+]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK: %[[R:.+]] = stablehlo.broadcast_in_dim %[[ZERO]], dims = []
// CHECK: return %[[R]] : tensor<20x30xf32>
func.func @dot(%x: tensor<20x0xf32>, %y: tensor<0x30xf32>) -> tensor<20x30xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<20x0xf32>, tensor<0x30xf32>) -> tensor<20x30xf32>
  return %0 : tensor<20x30xf32>
}

// -----

// CHECK-LABEL: func.func @updates
// CHECK-NEXT: return %arg0
func.func @updates(%x: tensor<4x3xf32>, %i: tensor<0x1xi32>, %u: tensor<0x3xf32>, %at: tensor<i32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<0x1xi32>, tensor<0x3xf32>) -> tensor<4x3xf32>
  %2 = stablehlo.dynamic_update_slice %0, %u, %at, %at : (tensor<4x3xf32>, tensor<0x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}
