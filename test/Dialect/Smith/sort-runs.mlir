// RUN: shardsmith-opt %s | shardsmith-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// CHECK-LABEL: @f
// CHECK: smith.sort_runs(%{{.*}}, %{{.*}}) dimension = 1 from = 4 to = 8 : (tensor<2x13xf32>, tensor<2x13xi32>) -> (tensor<2x13xf32>, tensor<2x13xi32>) {
// CHECK: stablehlo.compare
func.func @f(%x: tensor<2x13xf32>, %i: tensor<2x13xi32>) -> tensor<2x13xi32> {
  %0:2 = smith.sort_runs(%x, %i) dimension = 1 from = 4 to = 8 : (tensor<2x13xf32>, tensor<2x13xi32>) -> (tensor<2x13xf32>, tensor<2x13xi32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }
  return %0#1 : tensor<2x13xi32>
}
