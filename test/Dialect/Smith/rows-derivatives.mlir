// RUN: shardsmith-opt %s --differentiate | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Each is the derivative of the other. Rows go by the ranks they came from.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[ROWS:[^:]*]]: tensor<2x3x4xf32>
// CHECK-SAME:  %[[SLOTS:[^:]*]]: tensor<2x3xi32>
// CHECK-SAME:  %[[G:[^:]*]]: tensor<2x3x4xf32>
// CHECK:       %[[DP:.*]] = smith.pack_rows %{{.*}}, %[[SLOTS]] {smith.factor_axes = #smith.factor_axes<[{"data"}, {}, {}, {}, {}]>} : (tensor<2x3x4xf32>, tensor<2x3xi32>) -> tensor<2x2x3x4xf32>
// CHECK:       %[[DR:.*]] = smith.unpack_rows %{{.*}}, %[[SLOTS]] : (tensor<2x2x3x4xf32>, tensor<2x3xi32>) -> tensor<2x3x4xf32>
// CHECK:       return %[[DR]]
sdy.mesh @mesh = <["data"=2]>
func.func public @main(
    %rows: tensor<2x3x4xf32> {smith.name = "rows", smith.role = "param"},
    %slots: tensor<2x3xi32> {smith.name = "slots", smith.role = "constant"},
    %g: tensor<2x3x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %packed = smith.pack_rows %rows, %slots : (tensor<2x3x4xf32>, tensor<2x3xi32>) -> tensor<2x2x3x4xf32>
  %tanh = stablehlo.tanh %packed : tensor<2x2x3x4xf32>
  %y = smith.unpack_rows %tanh, %slots {smith.factor_axes = #smith.factor_axes<[{"data"}, {}, {}, {}, {}]>} : (tensor<2x2x3x4xf32>, tensor<2x3xi32>) -> tensor<2x3x4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<2x3x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
