// RUN: shardsmith-opt %s -split-input-file --differentiate | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// CHECK-LABEL: @main
// CHECK-SAME:  %[[Q:[^:]*]]: tensor<2x6x8xf32>
// CHECK-SAME:  %[[K:[^:]*]]: tensor<6x8xf32>
// CHECK-SAME:  %[[G:[^:]*]]: tensor<2x6x8xf32>
// CHECK: %[[O:.*]], %[[LSE:.*]] = smith.attention %[[Q]], %[[K]], %[[K]] causal
// CHECK: %[[DQ:.*]], %[[DK:.*]], %[[DV:.*]] = smith.attention_gradient %[[Q]], %[[K]], %[[K]], %[[O]], %[[LSE]], %[[G]] causal scale = 2.500000e-01
// CHECK: %[[SUM:.*]] = stablehlo.add %{{.*}} : tensor<6x8xf32>
// CHECK: return %[[DQ]], %[[SUM]]
func.func public @main(
    %q: tensor<2x6x8xf32> {smith.name = "q", smith.role = "param"},
    %k: tensor<6x8xf32> {smith.name = "k", smith.role = "param"},
    %g: tensor<2x6x8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %o, %lse = smith.attention %q, %k, %k causal scale = 0.25
      : (tensor<2x6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>) -> (tensor<2x6x8xf32>, tensor<2x6xf32>)
  %weighted = stablehlo.multiply %o, %g : tensor<2x6x8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// The gradient of a ring is a ring over the same axes.
sdy.mesh @mesh = <["a"=2]>
// CHECK-LABEL: @main
// CHECK: smith.attention_gradient {{.*}} ring scale = 2.500000e-01 {smith.factor_axes = #smith.factor_axes<[{}, {"a"}, {}, {}]>}
func.func public @main(
    %q: tensor<2x6x8xf32> {smith.name = "q", smith.role = "param"},
    %k: tensor<6x8xf32> {smith.name = "k", smith.role = "param"},
    %g: tensor<2x6x8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %o, %lse = smith.attention %q, %k, %k ring scale = 0.25 {smith.factor_axes = #smith.factor_axes<[{}, {"a"}, {}, {}]>}
      : (tensor<2x6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>) -> (tensor<2x6x8xf32>, tensor<2x6xf32>)
  %weighted = stablehlo.multiply %o, %g : tensor<2x6x8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
