// RUN: shardsmith-opt %s --split-micro-batches=shares=1,2 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Three samples are three groups of a convolution. A micro-batch has a slot for
// each data rank, of which the first has one sample and the other one two: two
// groups, where a third of the groups times the samples of a slot is one.

// CHECK:      stablehlo.convolution(%{{.*}}, %{{.*}}) {{.*}}batch_group_count = 2 : i64
// CHECK-SAME:   (tensor<2x4x5xi32>, tensor<3x5x4xi32>) -> tensor<1x3x4xi32>
func.func @main(
    %x: tensor<3x4x5xi32> {smith.role = "batch", smith.name = "x", smith.batch_dim = 0 : i64},
    %w: tensor<3x5x6xi32> {smith.role = "param", smith.name = "w"})
    -> (tensor<1x3xi32> {smith.name = "sum"}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.convolution(%x, %w)
      dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 0]]}
      {batch_group_count = 3 : i64, feature_group_count = 1 : i64}
      : (tensor<3x4x5xi32>, tensor<3x5x6xi32>) -> tensor<1x3x6xi32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<1x3x6xi32>, tensor<i32>) -> tensor<1x3xi32>
  return %1 : tensor<1x3xi32>
}
