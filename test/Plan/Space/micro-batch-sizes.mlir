// RUN: split-file %s %t
// RUN: shardsmith-opt %t/eight.mlir -o /dev/null --print-search="%{one-plain} show=space" | FileCheck %s --check-prefix=EIGHT
// RUN: shardsmith-opt %t/twelve.mlir -o /dev/null --print-search="%{one-plain} show=space" | FileCheck %s --check-prefix=TWELVE
// RUN: shardsmith-opt %t/hundred.mlir -o /dev/null --print-search="%{one-plain} show=space" | FileCheck %s --check-prefix=HUNDRED
// RUN: shardsmith-opt %t/hundred.mlir -o /dev/null --print-search="%{one-plain} show=space fix=mbs=7" | FileCheck %s --check-prefix=SEVEN
// RUN: shardsmith-opt %t/hundred.mlir -o /dev/null --print-search="%{one-plain} show=space fix=mbs=3..9" | FileCheck %s --check-prefix=RANGE

// Up to eight sequences every number of them is a micro-batch.

// EIGHT: space: 8 configurations
// EIGHT: micro-batch=1: 8 micro-batches
// EIGHT: micro-batch=2: 4 micro-batches
// EIGHT: micro-batch=3: 3 micro-batches
// EIGHT: micro-batch=4: 2 micro-batches
// EIGHT: micro-batch=5: 2 micro-batches
// EIGHT: micro-batch=6: 2 micro-batches
// EIGHT: micro-batch=7: 2 micro-batches
// EIGHT: micro-batch=8: 1 micro-batches

// Up to 64 the least size for every number of micro-batches: 12, 6, 4 and 3
// sequences for one to four of them, 2 for six, 1 for twelve. A size of 5 makes
// three micro-batches, as 4 does.

// TWELVE: space: 6 configurations
// TWELVE: micro-batch=1: 12 micro-batches
// TWELVE: micro-batch=2: 6 micro-batches
// TWELVE: micro-batch=3: 4 micro-batches
// TWELVE: micro-batch=4: 3 micro-batches
// TWELVE: micro-batch=6: 2 micro-batches
// TWELVE: micro-batch=12: 1 micro-batches

// Above that divisors (1 2 4 5 10 20 25 50 100) and powers of two (1 2 4 8 16 32
// 64): 13 numbers.

// HUNDRED: space: 13 configurations
// HUNDRED: micro-batch=1: 100 micro-batches
// HUNDRED: micro-batch=2: 50 micro-batches
// HUNDRED: micro-batch=4: 25 micro-batches
// HUNDRED: micro-batch=5: 20 micro-batches
// HUNDRED: micro-batch=8: 13 micro-batches
// HUNDRED: micro-batch=10: 10 micro-batches
// HUNDRED: micro-batch=16: 7 micro-batches
// HUNDRED: micro-batch=20: 5 micro-batches
// HUNDRED: micro-batch=25: 4 micro-batches
// HUNDRED: micro-batch=32: 4 micro-batches
// HUNDRED: micro-batch=50: 2 micro-batches
// HUNDRED: micro-batch=64: 2 micro-batches
// HUNDRED: micro-batch=100: 1 micro-batches

// A size that is given is in the space even if these rules leave it out; a
// range only chooses among the others.

// SEVEN: space: 1 configurations
// SEVEN: micro-batch=7: 15 micro-batches
// RANGE: space: 3 configurations
// RANGE: micro-batch=4:
// RANGE: micro-batch=5:
// RANGE: micro-batch=8:

//--- eight.mlir
module @product {
  func.func @main(
      %w: tensor<64x64xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- twelve.mlir
module @product {
  func.func @main(
      %w: tensor<64x64xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<12x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<12x64xf32>, tensor<64x64xf32>) -> tensor<12x64xf32>
    %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<12x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- hundred.mlir
module @product {
  func.func @main(
      %w: tensor<64x64xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<100x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<100x64xf32>, tensor<64x64xf32>) -> tensor<100x64xf32>
    %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<100x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
