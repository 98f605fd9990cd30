// RUN: shardsmith-opt %s --split-input-file --import-derivatives | FileCheck %s
// RUN: shardsmith-opt %s --split-input-file --import | FileCheck %s --check-prefix=IMPORT

// What the exporter wrote. The function it calls `relu` is not JAX's.
// CHECK-LABEL: module @marked {
// CHECK:         %[[H:.*]] = call @relu
// CHECK:         %[[S:.*]] = smith.stop_gradient %[[H]] : tensor<3xf32>
// CHECK:         %[[R:.*]] = stablehlo.round_nearest_even %[[S]]
// CHECK:         smith.with_derivative @round_vjp of(%[[S]]) values(%[[R]])
// CHECK:       func.func private @relu
// CHECK:         stablehlo.maximum

// A derivative is not differentiated again, and what it calls is inlined.
// Nothing is left of a derivative that nobody needs.
// IMPORT-LABEL: module @marked attributes {smith.model_hash = "{{[0-9a-f]*}}"} {
// IMPORT:         smith.stop_gradient
// IMPORT:         smith.with_derivative @round_vjp
// IMPORT:       func.func private @round_vjp
// IMPORT-NEXT:    %[[M:.*]] = stablehlo.multiply
// IMPORT-NEXT:    return %[[M]]
// IMPORT-NEXT:  }
// IMPORT-NEXT: }
module @marked attributes {smith.derivatives_marked} {
  func.func public @main(
      %w: tensor<3xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<3xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = call @relu(%w) : (tensor<3xf32>) -> tensor<3xf32>
    %1 = stablehlo.custom_call @smith.stop_gradient(%0) : (tensor<3xf32>) -> tensor<3xf32>
    %2 = stablehlo.round_nearest_even %1 : tensor<3xf32>
    %3 = stablehlo.custom_call @smith.with_derivative(%2, %1) {called_computations = [@round_vjp]} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %unused = stablehlo.custom_call @smith.with_derivative(%3, %x) {called_computations = [@round_vjp_0]} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %4 : tensor<f32>
  }
  func.func private @relu(%x: tensor<3xf32>) -> tensor<3xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<3xf32>
    %0 = stablehlo.maximum %x, %zero : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @round_vjp(%x: tensor<3xf32>, %g: tensor<3xf32>) -> tensor<3xf32> {
    %0 = call @twice(%g) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @round_vjp_0(%x: tensor<3xf32>, %g: tensor<3xf32>) -> tensor<3xf32> {
    return %g : tensor<3xf32>
  }
  func.func private @twice(%x: tensor<3xf32>) -> tensor<3xf32> {
    %two = stablehlo.constant dense<2.0> : tensor<3xf32>
    %0 = stablehlo.custom_call @smith.stop_gradient(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %1 = stablehlo.multiply %0, %x : tensor<3xf32>
    return %1 : tensor<3xf32>
  }
}

// -----

// JAX's own text tells its activations by their names and bodies.
// CHECK-LABEL: func.func private @relu_0
// CHECK-SAME:    (%[[X:.*]]: tensor<3xf32>)
// CHECK:         %[[P:.*]] = stablehlo.compare LE, %[[X]], %[[ZERO:[^ ]*]]
// CHECK:         %[[Y:.*]] = stablehlo.select %[[P]], %{{.*}}, %[[X]]
// CHECK:         return %[[Y]]
func.func private @relu_0(%x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.maximum %x, %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}

// CHECK-LABEL: func.func private @relu6
// CHECK:         stablehlo.compare GE
// CHECK:         stablehlo.compare LE
func.func private @relu6(%x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %six = stablehlo.constant dense<6.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.maximum %x, %0 : tensor<3xf32>
  %2 = stablehlo.broadcast_in_dim %six, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %3 = stablehlo.minimum %1, %2 : tensor<3xf32>
  return %3 : tensor<3xf32>
}

// Others of such names are what they say.
// CHECK-LABEL: func.func private @relu_above_one
// CHECK:         stablehlo.maximum
func.func private @relu_above_one(%x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf32>
  %0 = stablehlo.maximum %x, %zero : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func private @relu(
// CHECK:         stablehlo.maximum
func.func private @relu(%x: tensor<3xf32>) -> tensor<3xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %0 = stablehlo.maximum %x, %one : tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func public @main(
    %w: tensor<3xf32> {smith.name = "w", smith.role = "param"},
    %x: tensor<3xf32> {smith.name = "x", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  return %zero : tensor<f32>
}
