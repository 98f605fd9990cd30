// RUN: shardsmith-opt %s --split-micro-batches=count=2 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// What is made from small values is made smaller: splats, broadcasts and what
// is computed from them. Counters and other constants are cut.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %{{.*}}: tensor<4x3xi32> {{.*}}, %[[W:.*]]: tensor<3xi32>
// CHECK:         %[[I:.*]] = smith.micro_batch_index of 2
// CHECK-DAG:     %[[SEVEN:.*]] = stablehlo.constant dense<7> : tensor<2x3xi32>
// CHECK-DAG:     %[[COUNTER:.*]] = stablehlo.iota dim = 0 : tensor<4x3xi32>
// CHECK-DAG:     %[[WIDE:.*]] = stablehlo.broadcast_in_dim %[[W]], dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
// CHECK:         stablehlo.compare GT, %[[WIDE]], %[[SEVEN]], SIGNED : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
// CHECK:         %[[PARTS:.*]] = stablehlo.reshape %[[COUNTER]] : (tensor<4x3xi32>) -> tensor<2x2x3xi32>
// CHECK:         stablehlo.dynamic_slice %[[PARTS]], %{{.*}}, %[[I]],
// CHECK:         stablehlo.reshape %{{.*}} : (tensor<4xi32>) -> tensor<2x2xi32>
// CHECK-NOT:     stablehlo.select {{.*}} : tensor<4x3xi1>
func.func @main(
    %x: tensor<4x3xi32> {smith.role = "batch", smith.name = "x"},
    %w: tensor<3xi32> {smith.role = "param", smith.name = "w"})
    -> (tensor<i32> {smith.name = "r"}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %seven = stablehlo.constant dense<7> : tensor<4x3xi32>
  %primes = stablehlo.constant dense<[2, 3, 5, 7]> : tensor<4xi32>
  %wide = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<3xi32>) -> tensor<4x3xi32>
  %mask = stablehlo.compare GT, %wide, %seven, SIGNED : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi1>
  %counter = stablehlo.iota dim = 0 : tensor<4x3xi32>
  %0 = stablehlo.select %mask, %x, %counter : tensor<4x3xi1>, tensor<4x3xi32>
  %1 = stablehlo.broadcast_in_dim %primes, dims = [0] : (tensor<4xi32>) -> tensor<4x3xi32>
  %2 = stablehlo.multiply %0, %1 : tensor<4x3xi32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xi32>, tensor<i32>) -> tensor<i32>
  return %3 : tensor<i32>
}
