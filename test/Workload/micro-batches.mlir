// RUN: shardsmith-opt --print-workload --split-input-file %s -o /dev/null | FileCheck %s

// The mean over samples, and what is added to it, is a sum over samples.

// CHECK-LABEL: "model": "mean"
// CHECK-NOT: micro_batch_obstacle
// CHECK: "segments"
module @mean {
  func.func @main(
      %w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %count = stablehlo.constant dense<4.0> : tensor<f32>
    %ws = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %y = stablehlo.multiply %x, %ws : tensor<4x8xf32>
    %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    %mean = stablehlo.divide %sum, %count : tensor<f32>
    %norm = stablehlo.reduce(%w init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %loss = stablehlo.add %mean, %norm : tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Batch norm: each sample depends on the mean over all of them.

// CHECK-LABEL: "model": "batch_norm"
// CHECK: "micro_batch_obstacle": "'stablehlo.subtract' at {{.*}}micro-batches.mlir{{.*}} combines a value of the whole batch with values of single sequences"
module @batch_norm {
  func.func @main(
      %w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %ws = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %y = stablehlo.multiply %x, %ws : tensor<4x8xf32>
    %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %centered = stablehlo.subtract %y, %sums : tensor<4x8xf32>
    %squares = stablehlo.multiply %centered, %centered : tensor<4x8xf32>
    %loss = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// The logarithm of a sum over samples is no sum over samples.

// CHECK-LABEL: "model": "log_of_mean"
// CHECK: "micro_batch_obstacle": "'stablehlo.log' at {{.*}} is not linear in a value of the whole batch"
module @log_of_mean {
  func.func @main(
      %w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %ws = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %y = stablehlo.multiply %x, %ws : tensor<4x8xf32>
    %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    %loss = stablehlo.log %sum : tensor<f32>
    return %loss : tensor<f32>
  }
}
