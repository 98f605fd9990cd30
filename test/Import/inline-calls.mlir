// RUN: shardsmith-opt %s --inline-calls | FileCheck %s

// Calls within calls, several results, and one function called twice.
// CHECK-LABEL: func.func public @main(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>)
func.func public @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[SINE:.*]] = stablehlo.sine %[[X]]
  // CHECK-NEXT: %[[FIRST:.*]] = stablehlo.add %[[SINE]], %[[X]]
  // CHECK-NEXT: %[[AGAIN:.*]] = stablehlo.sine %[[FIRST]]
  // CHECK-NEXT: return %[[X]], %[[AGAIN]]
  %0:2 = call @swap_with_sum(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = call @sine(%0#1) : (tensor<8xf32>) -> tensor<8xf32>
  return %0#0, %1 : tensor<8xf32>, tensor<8xf32>
}
// CHECK-NOT: func.func
func.func private @swap_with_sum(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = call @sine(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.add %0, %x : tensor<8xf32>
  return %x, %1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @sine(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.sine %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
