// RUN: shardsmith-opt %s --split-micro-batches=count=2 --split-input-file | FileCheck %s

// Samples are normalised by the mean of their own micro-batch: twice its term.
// The mean that is a result is that of the whole batch.

// CHECK-LABEL: func.func @main
// CHECK:         %[[SCALED:.*]] = stablehlo.multiply {{.*}} : tensor<4x4xf32>
// CHECK:         %[[TERM:.*]] = stablehlo.reduce(%[[SCALED]]
// CHECK:         %[[TERM_OF_MEAN:.*]] = stablehlo.divide %[[TERM]]
// CHECK:         %[[SUM:.*]] = smith.accumulate %[[TERM_OF_MEAN]] kind = sum
// CHECK:         %[[TWO:.*]] = stablehlo.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK:         %[[OWN:.*]] = stablehlo.multiply %[[TERM_OF_MEAN]], %[[TWO]]
// CHECK:         %[[WIDE:.*]] = stablehlo.broadcast_in_dim %[[OWN]], dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
// CHECK:         stablehlo.subtract %[[SCALED]], %[[WIDE]]
// CHECK:         return %{{.*}}, %[[SUM]]
func.func @main(
    %x: tensor<8x4xf32> {smith.role = "batch"}, %w: tensor<4xf32> {smith.role = "param"})
    -> (tensor<f32> {smith.role = "loss"}, tensor<4xf32>)
    attributes {smith.per_micro_batch} {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %eight = stablehlo.constant dense<8.0> : tensor<4xf32>
  %0 = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<8x4xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.divide %2, %eight : tensor<4xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %5 = stablehlo.subtract %1, %4 : tensor<8x4xf32>
  %6 = stablehlo.multiply %5, %5 : tensor<8x4xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  return %7, %3 : tensor<f32>, tensor<4xf32>
}

// -----

// The largest of a micro-batch is its own; what is computed of it is computed
// twice, once for the micro-batch and once for the whole batch.

// CHECK-LABEL: func.func @main
// CHECK:         %[[MOST:.*]] = stablehlo.reduce(%{{.*}}) applies stablehlo.maximum
// CHECK-SAME:      (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK:         %[[ALL:.*]] = smith.accumulate %[[MOST]] kind = max
// CHECK:         %[[ROOT:.*]] = stablehlo.sqrt %[[ALL]]
// CHECK:         %[[OWN_ROOT:.*]] = stablehlo.sqrt %[[MOST]]
// CHECK:         stablehlo.broadcast_in_dim %[[OWN_ROOT]]
// CHECK:         return %{{.*}}, %[[ROOT]]
func.func @main(
    %x: tensor<8x4xf32> {smith.role = "batch"}, %w: tensor<4xf32> {smith.role = "param"})
    -> (tensor<f32> {smith.role = "loss"}, tensor<4xf32>)
    attributes {smith.per_micro_batch} {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<8x4xf32>
  %2 = stablehlo.reduce(%1 init: %least) applies stablehlo.maximum across dimensions = [0]
    : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.sqrt %2 : tensor<4xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %5 = stablehlo.multiply %1, %4 : tensor<8x4xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  return %6, %3 : tensor<f32>, tensor<4xf32>
}
