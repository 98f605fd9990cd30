// RUN: shardsmith-opt %s --remove-markers | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8xf32>, %[[Y:[a-z0-9]+]]: tensor<f32>)
func.func @main(%x: tensor<8xf32>, %y: tensor<f32>) -> (tensor<8xf32>, tensor<f32>) {
  // CHECK-NEXT: return %[[X]], %[[Y]]
  %0:2 = stablehlo.optimization_barrier %x, %y : tensor<8xf32>, tensor<f32>
  %1 = stablehlo.custom_call @annotate_device_placement(%0#0) {has_side_effect = true} : (tensor<8xf32>) -> tensor<8xf32>
  stablehlo.custom_call @shape_assertion(%0#1) {has_side_effect = true} : (tensor<f32>) -> ()
  return %1, %0#1 : tensor<8xf32>, tensor<f32>
}
