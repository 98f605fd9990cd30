// RUN: shardsmith-opt %s --drop-barriers | FileCheck %s

// CHECK-LABEL: @main
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<2xf32>)
func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  // CHECK-NEXT: %[[T:.*]] = stablehlo.tanh %[[X]]
  // CHECK-NEXT: return %[[T]], %[[Y]]
  %0:2 = stablehlo.optimization_barrier %x, %y : tensor<4xf32>, tensor<2xf32>
  %1 = stablehlo.tanh %0#0 : tensor<4xf32>
  return %1, %0#1 : tensor<4xf32>, tensor<2xf32>
}
