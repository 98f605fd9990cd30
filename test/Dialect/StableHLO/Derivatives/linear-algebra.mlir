// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s

// With P the lower triangle of Lᵀ dL with half of its diagonal: L⁻ᵀ P L⁻¹.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[A:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK:       %[[L:.*]] = stablehlo.cholesky %[[A]], lower = true
// CHECK:       %[[ALL:.*]] = stablehlo.dot_general %[[L]], %{{.*}}, contracting_dims = [0] x [0]
// CHECK:       %[[IS_DIAGONAL:.*]] = stablehlo.compare EQ
// CHECK:       %[[IS_BELOW:.*]] = stablehlo.compare GT
// CHECK:       %[[HALF:.*]] = stablehlo.divide %[[ALL]]
// CHECK:       %[[DIAGONAL:.*]] = stablehlo.select %[[IS_DIAGONAL]], %[[HALF]]
// CHECK:       %[[P:.*]] = stablehlo.select %[[IS_BELOW]], %[[ALL]], %[[DIAGONAL]]
// CHECK:       %[[LEFT:.*]] = "stablehlo.triangular_solve"(%[[L]], %[[P]]) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>
// CHECK:       %[[BOTH:.*]] = "stablehlo.triangular_solve"(%[[L]], %[[LEFT]]) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>
// CHECK:       return %[[BOTH]]
func.func public @main(
    %a: tensor<3x3xf32> {smith.name = "a", smith.role = "param"},
    %g: tensor<3x3xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>
  %1 = stablehlo.multiply %0, %g : tensor<3x3xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// CHECK-LABEL: @main
// CHECK-SAME:  %[[A:[^:]*]]: tensor
// CHECK-SAME:  %[[B:[^:]*]]: tensor
// CHECK:       %[[X:.*]] = "stablehlo.triangular_solve"(%[[A]], %[[B]])
// CHECK:       %[[DB:.*]] = "stablehlo.triangular_solve"(%[[A]], %{{.*}}) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>
// CHECK:       %[[DA:.*]] = stablehlo.dot_general %[[DB]], %[[X]], contracting_dims = [1] x [1]
// CHECK:       %[[READ:.*]] = stablehlo.compare GE
// CHECK:       %[[MINUS:.*]] = stablehlo.negate %[[DA]]
// CHECK:       %[[TRIANGLE:.*]] = stablehlo.select %[[READ]], %[[MINUS]]
// CHECK:       return %[[TRIANGLE]], %[[DB]]
func.func public @main(
    %a: tensor<3x3xf32> {smith.name = "a", smith.role = "param"},
    %b: tensor<3x2xf32> {smith.name = "b", smith.role = "param"},
    %g: tensor<3x2xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.multiply %0, %g : tensor<3x2xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
