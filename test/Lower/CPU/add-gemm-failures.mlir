// RUN: shardsmith-opt %s --lower-program=target=cpu --verify-diagnostics
//
// What only products of devices add.

func.func @main(%x: tensor<2x4xf32>, %w: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<2x8xf32> {
  // expected-error @below {{unsupported on CPU: a bias that a product adds}}
  %0 = smith.add_gemm %x[0, [4, 1]], %w[0, [8, 1]] batch = [] sizes = [2, 8, 4] strides = [8, 1] bias(%b : tensor<8xf32>) : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
