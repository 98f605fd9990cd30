// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s
// Sorting by the origins restores the order.

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = "stablehlo.sort"(%[[X]]) <{dimension = 0 : i64, is_stable = true}> ({
// CHECK-NEXT:  ^bb0(%[[B2:.*]]: tensor<f32>, %[[B3:.*]]: tensor<f32>):
// CHECK:       %[[V4:.*]] = stablehlo.compare LT, %[[B2]], %[[B3]], FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK:       stablehlo.return %[[V4]] : tensor<i1>
// CHECK:       }) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK:       %[[V5:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V6:.*]] = stablehlo.reduce(%[[V5]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V7:.*]] = stablehlo.iota dim = 0 : tensor<8xi32>
// CHECK:       %[[V8:.*]]:2 = "stablehlo.sort"(%[[X]], %[[V7]]) <{dimension = 0 : i64, is_stable = true}> ({
// CHECK-NEXT:  ^bb0(%[[B9:.*]]: tensor<f32>, %[[B10:.*]]: tensor<f32>, %[[B11:.*]]: tensor<i32>, %[[B12:.*]]: tensor<i32>):
// CHECK:       %[[V13:.*]] = stablehlo.compare LT, %[[B9]], %[[B10]], FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK:       stablehlo.return %[[V13]] : tensor<i1>
// CHECK:       }) : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
// CHECK:       %[[V14:.*]]:2 = "stablehlo.sort"(%[[V8]]#1, %[[G]]) <{dimension = 0 : i64, is_stable = true}> ({
// CHECK-NEXT:  ^bb0(%[[B15:.*]]: tensor<i32>, %[[B16:.*]]: tensor<i32>, %[[B17:.*]]: tensor<f32>, %[[B18:.*]]: tensor<f32>):
// CHECK:       %[[V19:.*]] = stablehlo.compare LT, %[[B15]], %[[B16]] : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK:       stablehlo.return %[[V19]] : tensor<i1>
// CHECK:       }) : (tensor<8xi32>, tensor<8xf32>) -> (tensor<8xi32>, tensor<8xf32>)
// CHECK:       return %[[V14]]#1, %[[V6]] : tensor<8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
