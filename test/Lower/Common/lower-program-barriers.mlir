// RUN: shardsmith-opt %s --lower-program | FileCheck %s

// What stands behind a barrier is computed again: barriers go only after equal
// expressions have been joined.

// CHECK-LABEL: @main
// CHECK-COUNT-2: smith.gemm
// CHECK-NOT: smith.gemm
// CHECK-NOT: optimization_barrier
func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>)
    -> (tensor<8x6xf32>, tensor<8x6xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %2 = stablehlo.optimization_barrier %x : tensor<8x4xf32>
  %3 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [0]
      : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %4 = stablehlo.add %0, %1 : tensor<8x6xf32>
  return %4, %3 : tensor<8x6xf32>, tensor<8x6xf32>
}
