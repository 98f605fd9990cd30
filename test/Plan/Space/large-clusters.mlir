// RUN: shardsmith-opt %s -o /dev/null --print-search="%{many-plain} show=space fix=mbs=1,dp=1" | FileCheck %s --check-prefix=TENSOR
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{many-plain} show=space fix=mbs=1,tp=1" | FileCheck %s --check-prefix=DATA
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{many-plain} show=space fix=mbs=1,tp=5,dp=1" | FileCheck %s --check-prefix=FIVE
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{many-plain} show=space fix=mbs=1,tp=2..7,dp=1" | FileCheck %s --check-prefix=RANGE

// On more than 64 devices degrees follow the sizes of the cluster: divisors of
// 96 (1 2 3 4 6 8 12 16 24 32 48 96) and powers of two (64 is the only further
// one).

// TENSOR: space: 13 configurations on at most 96 devices
// TENSOR-NEXT: tensor: 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96
// TENSOR-NEXT:   not 5: no size of a part of the cluster
// TENSOR-NEXT:   not 7: no size of a part of the cluster
// TENSOR-NEXT:   not 9 to 11: no size of a part of the cluster

// The batch has 96 sequences, so that data ranks divide it as tensor ranks
// divide the devices.

// DATA: data: 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96
// DATA: configuration tensor=1 data=64 pipeline=1 micro-batch=1: 2 micro-batches
// DATA: configuration tensor=1 data=96 pipeline=1 micro-batch=1: 1 micro-batches

// A degree that is given needs to be no such number; a range has those in it.

// FIVE: space: 1 configurations
// FIVE-NEXT: tensor: 5
// FIVE-NEXT:   not 1 to 4: not allowed
// FIVE-NEXT:   not 6 to 96: not allowed
// RANGE: tensor: 2, 3, 4, 6
// RANGE-NEXT:   not 1: not allowed
// RANGE-NEXT:   not 5: no size of a part of the cluster
// RANGE-NEXT:   not 7: no size of a part of the cluster
// RANGE-NEXT:   not 8 to 96: not allowed

module @product {
  func.func @main(
      %w: tensor<256x256xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<96x256xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<96x256xf32>, tensor<256x256xf32>) -> tensor<96x256xf32>
    %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<96x256xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
