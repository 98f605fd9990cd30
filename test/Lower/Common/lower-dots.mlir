// RUN: shardsmith-opt %s --lower-dots | FileCheck %s

// CHECK-LABEL: @plain
func.func @plain(%x: tensor<2x4xf32>, %w: tensor<4x8xf32>) -> tensor<2x8xf32> {
  // CHECK: smith.gemm %arg0[0, [4, 1]], %arg1[0, [8, 1]] batch = [] sizes = [2, 8, 4] strides = [8, 1]
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// CHECK-LABEL: @transposed_operand
func.func @transposed_operand(%x: tensor<2x4xf32>, %w: tensor<8x4xf32>) -> tensor<2x8xf32> {
  // CHECK: smith.gemm %arg0[0, [4, 1]], %arg1[0, [1, 4]]
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %0 = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// Free dimensions of one operand that lie evenly become one.
// CHECK-LABEL: @joined
func.func @joined(%x: tensor<2x3x4xf32>, %w: tensor<4x8xf32>) -> tensor<2x3x8xf32> {
  // CHECK: batch = [] sizes = [6, 8, 4] strides = [8, 1]
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<2x3x4xf32>, tensor<4x8xf32>) -> tensor<2x3x8xf32>
  return %0 : tensor<2x3x8xf32>
}

// Heads of attention: slice, reshape and transpose are strides of one buffer.
// CHECK-LABEL: @heads
func.func @heads(%qkv: tensor<2x5x48xf32>) -> tensor<2x4x5x5xf32> {
  // CHECK: smith.gemm %arg0[0, [240, 4, 48, 1]], %arg0[16, [240, 4, 1, 48]] batch = [2, 4] sizes = [5, 5, 4] strides = [100, 25, 5, 1]
  %q = stablehlo.slice %qkv [0:2, 0:5, 0:16] : (tensor<2x5x48xf32>) -> tensor<2x5x16xf32>
  %k = stablehlo.slice %qkv [0:2, 0:5, 16:32] : (tensor<2x5x48xf32>) -> tensor<2x5x16xf32>
  %qh = stablehlo.reshape %q : (tensor<2x5x16xf32>) -> tensor<2x5x4x4xf32>
  %kh = stablehlo.reshape %k : (tensor<2x5x16xf32>) -> tensor<2x5x4x4xf32>
  %qt = stablehlo.transpose %qh, dims = [0, 2, 1, 3] : (tensor<2x5x4x4xf32>) -> tensor<2x4x5x4xf32>
  %kt = stablehlo.transpose %kh, dims = [0, 2, 1, 3] : (tensor<2x5x4x4xf32>) -> tensor<2x4x5x4xf32>
  %s = stablehlo.dot_general %qt, %kt, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x4x5x4xf32>, tensor<2x4x5x4xf32>) -> tensor<2x4x5x5xf32>
  return %s : tensor<2x4x5x5xf32>
}

// The result is stored as its only reader wants it.
// CHECK-LABEL: @transposed_result
func.func @transposed_result(%a: tensor<2x4x5x5xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x5x4x8xf32> {
  // CHECK: smith.gemm {{.*}} batch = [2, 4] sizes = [5, 8, 5] strides = [160, 8, 32, 1] {{.*}} -> tensor<2x5x4x8xf32>
  // CHECK-NEXT: return
  %0 = stablehlo.dot_general %a, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<2x4x5x8xf32>) -> tensor<2x5x4x8xf32>
  return %1 : tensor<2x5x4x8xf32>
}

// Contracting dimensions that do not lie evenly in both operands: one of them
// is rearranged first.
// CHECK-LABEL: @rearranged
func.func @rearranged(%x: tensor<2x3x4xf32>, %y: tensor<4x3x5xf32>) -> tensor<2x5xf32> {
  // CHECK: stablehlo.transpose
  // CHECK: smith.gemm
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1, 2] x [1, 0] : (tensor<2x3x4xf32>, tensor<4x3x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
