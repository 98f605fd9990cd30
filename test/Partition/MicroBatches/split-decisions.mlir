// RUN: shardsmith-opt %s --split-micro-batches=count=2 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// What a strategy has decided of an op holds for that of one micro-batch. Only
// how a sum is handed out is decided where it is accumulated: combined over
// devices per micro-batch it would take as many exchanges as there are.

sdy.mesh @mesh = <["data"=2]>

// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.tanh
// CHECK-SAME:      sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}]>]>
// CHECK-SAME:      smith.factor_axes = #smith.factor_axes<[{"data"}]>
// CHECK-SAME:      smith.stage = 0 : i64, smith.unit = 3 : i64
// CHECK:         stablehlo.reduce({{.*}} {smith.factor_axes = #smith.factor_axes<[{"data"}]>, smith.unit = 3 : i64}
// CHECK:         stablehlo.multiply {{.*}} {smith.unit = 3 : i64}
// CHECK-NEXT:    smith.accumulate
func.func @main(%x: tensor<8xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<f32> {smith.name = "r"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %eighth = stablehlo.constant dense<0.125> : tensor<f32>
  %0 = stablehlo.tanh %x {
    sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}]>]>,
    smith.factor_axes = #smith.factor_axes<[{"data"}]>,
    smith.stage = 0 : i64, smith.unit = 3 : i64} : tensor<8xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] {
    sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>,
    smith.factor_axes = #smith.factor_axes<[{"data"}]>,
    smith.unit = 3 : i64} : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.multiply %1, %eighth {
    sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>,
    smith.factor_axes = #smith.factor_axes<[]>,
    smith.unit = 3 : i64} : tensor<f32>
  return %2 : tensor<f32>
}
