// RUN: shardsmith-opt %s -o /dev/null --print-search="%{six-plain} show=space fix=tp=1,pp=1" | FileCheck %s

// A data rank has at least one sequence. With 4 sequences, the largest share of
// d ranks is ceil(4 / d): 4, 2, 2 and 1 sequences, and every number up to that
// is a micro-batch size.
//
//     d = 1   sizes 1 2 3 4   so many micro-batches 4 2 2 1
//     d = 2   sizes 1 2                             2 1
//     d = 3   sizes 1 2                             2 1
//     d = 4   sizes 1                               1

// CHECK: space: 9 configurations on at most 6 devices
// CHECK: data: 1, 2, 3, 4
// CHECK-NEXT:   not 5 to 6: 4 sequences of a step
// CHECK: configuration tensor=1 data=1 pipeline=1 micro-batch=1: 4 micro-batches
// CHECK: configuration tensor=1 data=1 pipeline=1 micro-batch=2: 2 micro-batches
// CHECK: configuration tensor=1 data=1 pipeline=1 micro-batch=3: 2 micro-batches
// CHECK: configuration tensor=1 data=1 pipeline=1 micro-batch=4: 1 micro-batches
// CHECK: configuration tensor=1 data=2 pipeline=1 micro-batch=1: 2 micro-batches
// CHECK: configuration tensor=1 data=2 pipeline=1 micro-batch=2: 1 micro-batches
// CHECK: configuration tensor=1 data=3 pipeline=1 micro-batch=1: 2 micro-batches
// CHECK: configuration tensor=1 data=3 pipeline=1 micro-batch=2: 1 micro-batches
// CHECK: configuration tensor=1 data=4 pipeline=1 micro-batch=1: 1 micro-batches
// CHECK-NOT: configuration

module @product {
  func.func @main(
      %w: tensor<64x64xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<4x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
    %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<4x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
