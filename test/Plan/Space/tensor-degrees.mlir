// RUN: shardsmith-opt %s -o /dev/null --print-search="%{six-plain} show=space fix=mbs=8,dp=1" | FileCheck %s

// Up to 64 devices every number is a degree, as long as every rank gets an
// element of the largest factor that an op may be split by. Here the product has
// a factor of 3 and one of 5 elements, and the batch is no factor of the tensor
// axis.

// CHECK: space: 5 configurations on at most 6 devices
// CHECK-NEXT: tensor: 1, 2, 3, 4, 5
// CHECK-NEXT:   not 6: 5 elements in the largest factor

// There is one position, one unit, and no expert: these axes have one rank.

// CHECK-NEXT: context: 1
// CHECK-NEXT:   not 2 to 6: 1 positions of a sequence
// CHECK-NEXT: data: 1
// CHECK-NEXT:   not 2 to 6: not allowed
// CHECK-NEXT: pipeline: 1
// CHECK-NEXT:   not 2 to 6: 1 units in the chain
// CHECK-NEXT: expert: 1
// CHECK-NEXT:   not 2 to 6: no experts
// CHECK-NEXT: configuration tensor=1 data=1 pipeline=1 micro-batch=8: 1 micro-batches

module @product {
  func.func @main(
      %w: tensor<3x5xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<8x3xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x3xf32>, tensor<3x5xf32>) -> tensor<8x5xf32>
    %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x5xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
