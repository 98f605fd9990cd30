// RUN: shardsmith-opt %s --split-micro-batches=shares=3,1 | FileCheck %s
// RUN: shardsmith-opt %s --split-micro-batches=shares=2,2 \
// RUN:   | FileCheck %s --check-prefix=EVEN
// RUN: not shardsmith-opt %s --split-micro-batches=shares=3,2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ODD
// RUN: not shardsmith-opt %s --split-micro-batches=shares=3,0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// SPDX-License-Identifier: Apache-2.0

// Two data ranks, the first of which has three micro-batches of two samples:
// 0 and 3, 1 and 4, 2 and 5. The other one has 6 and 7, three times, of which
// two do not count.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[W:.*]]: tensor<4xf32> {{.*}}, %[[X:.*]]: tensor<8x4xf32>
// CHECK-SAME:    attributes {smith.shares = array<i64: 3, 1>}
// CHECK:       %[[I:.*]] = smith.micro_batch_index of 3 : tensor<i32>
// CHECK-DAG:   %[[LAST:.*]] = stablehlo.constant dense<[2, 2, 0, 0]> : tensor<4xi32>
// CHECK-DAG:   %[[FIRST:.*]] = stablehlo.constant dense<[0, 3, 6, 7]> : tensor<4xi32>
// CHECK:       %[[OWN:.*]] = stablehlo.minimum
// CHECK:       %[[PLACES:.*]] = stablehlo.add %[[FIRST]], %[[OWN]]
// CHECK:       %[[ROWS:.*]] = "stablehlo.gather"(%[[X]], %[[PLACES]])
// CHECK:       %[[PRODUCT:.*]] = stablehlo.multiply {{.*}} : tensor<4x4xf32>
// CHECK:       %[[COUNTS:.*]] = stablehlo.constant dense<[3, 3, 1, 1]> : tensor<4xi32>
// CHECK:       stablehlo.compare LT, %{{.*}}, %[[COUNTS]]
// CHECK:       %[[COUNTED:.*]] = stablehlo.select %{{.*}}, %[[PRODUCT]], %{{.*}} {smith.counted_rows = 0 : i64}
// CHECK:       %[[TERM:.*]] = stablehlo.reduce(%[[COUNTED]]
// CHECK:       smith.accumulate %[[TERM]] kind = sum : tensor<f32>

// EVEN-NOT: smith.shares
// EVEN:     smith.micro_batch_index of 2
// EVEN-NOT: stablehlo.select

// ODD:  error: argument 1 has a batch of 8, which does not divide into 5 micro-batches; use a divisor of it
// NONE: error: 0 micro-batches; at least 1 is needed
func.func @main(
    %w: tensor<4xf32> {smith.role = "param", smith.name = "w"},
    %x: tensor<8x4xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %wide = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %0 = stablehlo.multiply %wide, %x : tensor<8x4xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
