// RUN: shardsmith-opt %s --split-micro-batches=count=2 -verify-diagnostics | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Micro-batches split samples alone: the order of positions, which is that of the
// ranks, is as it was.

// CHECK: smith.attention %{{.*}} causal ring zigzag = 2 scale = {{.*}} -> (tensor<2x1x8x4xf32>, tensor<2x1x8xf32>)
func.func @main(
    %q: tensor<4x1x8x4xf32> {smith.role = "batch", smith.name = "q"},
    %k: tensor<4x8x4xf32> {smith.role = "batch", smith.name = "k"})
    -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %o, %l = smith.attention %q, %k, %k causal ring zigzag = 2 scale = 0.5
      : (tensor<4x1x8x4xf32>, tensor<4x8x4xf32>, tensor<4x8x4xf32>) -> (tensor<4x1x8x4xf32>, tensor<4x1x8xf32>)
  %loss = stablehlo.reduce(%o init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<4x1x8x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
