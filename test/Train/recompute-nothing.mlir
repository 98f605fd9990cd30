// RUN: shardsmith-opt %s --recompute | FileCheck %s --implicit-check-not=optimization_barrier

// Units that keep everything, and those whose values the backward pass does not
// read, stay as they are.

// CHECK-LABEL: @main
func.func @main(%w: tensor<4xf32> {smith.role = "param", smith.name = "w"})
    -> (tensor<4xf32> {smith.role = "param", smith.name = "w"}) {
  // CHECK-COUNT-2: stablehlo.tanh
  // CHECK-NOT: stablehlo.tanh
  %0 = stablehlo.tanh %w {smith.unit = 0 : i64, smith.recompute = "none"} : tensor<4xf32>
  %1 = stablehlo.tanh %0 {smith.unit = 1 : i64, smith.recompute = "full"} : tensor<4xf32>
  %2 = stablehlo.negate %1 {smith.unit = 2 : i64, smith.recompute = "none"} : tensor<4xf32>
  %3 = stablehlo.add %0, %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
