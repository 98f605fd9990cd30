// RUN: shardsmith-opt %s --expand-random-bits | FileCheck %s
// The bits are compared in test/python/test_random_bits.py.

// Blocks are numbered; nothing is drawn one after the other.
// CHECK-LABEL: func.func @threefry(
// CHECK-NOT:     rng_bit_generator
// CHECK:         stablehlo.iota dim = 1 : tensor<3x2xui64>
// CHECK:         stablehlo.concatenate %{{.*}}, dim = 2 : (tensor<3x2x1xui32>, tensor<3x2x1xui32>) -> tensor<3x2x2xui32>
// CHECK:         stablehlo.reshape %{{.*}} : (tensor<3x2x2xui32>) -> tensor<3x4xui32>
func.func @threefry(%state: tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>) {
  %0, %1 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  return %0, %1 : tensor<2xui64>, tensor<3x4xui32>
}

// CHECK-LABEL: func.func @philox(
// CHECK-NOT:     rng_bit_generator
// CHECK:         stablehlo.iota dim = 1 : tensor<3x2xui64>
// CHECK:         stablehlo.reshape %{{.*}} : (tensor<3x2x4xui32>) -> tensor<3x8xui32>
// CHECK:         stablehlo.convert %{{.*}} : (tensor<3x8xui32>) -> tensor<3x8xui8>
func.func @philox(%state: tensor<3xui64>) -> (tensor<3xui64>, tensor<3x8xui8>) {
  %0, %1 = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x8xui8>)
  return %0, %1 : tensor<3xui64>, tensor<3x8xui8>
}
