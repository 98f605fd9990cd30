// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s

// Only the factor outside of stop_gradient has a gradient: dw = stop(w) · x.
// CHECK-LABEL: @main
// CHECK-SAME:    %[[W:[^:]*]]: tensor<3xf32>
// CHECK-SAME:    %[[X:[^:]*]]: tensor<3xf32>
// CHECK-NOT:     smith.stop_gradient
// CHECK:         %[[D:.*]] = stablehlo.multiply %[[X]], %[[W]]
// CHECK:         return %[[D]],
func.func public @main(
    %w: tensor<3xf32> {smith.name = "w", smith.role = "param"},
    %x: tensor<3xf32> {smith.name = "x", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = smith.stop_gradient %w : tensor<3xf32>
  %1 = stablehlo.multiply %0, %w : tensor<3xf32>
  %2 = stablehlo.multiply %1, %x : tensor<3xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// -----

// A maximum that softmax subtracts has no gradient, unless the sum that it
// leaves unchanged is stopped: log Σ exp(w - m) + stop(m) depends on m.
// CHECK-LABEL: @main
// CHECK:         stablehlo.compare EQ
func.func public @main(
    %w: tensor<3xf32> {smith.name = "w", smith.role = "param"},
    %x: tensor<3xf32> {smith.name = "x", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%w init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %0 = stablehlo.subtract %w, %b : tensor<3xf32>
  %1 = stablehlo.exponential %0 : tensor<3xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.log %2 : tensor<f32>
  %s = smith.stop_gradient %m : tensor<f32>
  %4 = stablehlo.add %3, %s : tensor<f32>
  return %4 : tensor<f32>
}

// -----

// The function's own derivative, with zero for a result that nobody uses; the
// cotangent of an integer is not there.
// CHECK-LABEL: @main
// CHECK-SAME:    %[[W:[^:]*]]: tensor<3xf32>
// CHECK-SAME:    %[[X:[^:]*]]: tensor<3xf32>
// CHECK-NOT:     smith.with_derivative
// CHECK-DAG:     %[[SEVEN:.*]] = stablehlo.constant dense<7.000000e+00> : tensor<3xf32>
// CHECK:         %[[D:.*]] = stablehlo.multiply %[[X]], %[[SEVEN]]
// CHECK:         %[[S:.*]] = stablehlo.add %[[D]], %{{.*}}
// CHECK:         return %[[S]],
// CHECK-NOT:     func.func
func.func public @main(
    %w: tensor<3xf32> {smith.name = "w", smith.role = "param"},
    %x: tensor<3xf32> {smith.name = "x", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.constant dense<1> : tensor<i32>
  %v = stablehlo.sine %w : tensor<3xf32>
  %0:2 = smith.with_derivative @vjp of(%i, %w) values(%v, %w)
      : (tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %1 = stablehlo.multiply %0#0, %x : tensor<3xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
func.func private @vjp(%i: tensor<i32>, %x: tensor<3xf32>, %g: tensor<3xf32>, %h: tensor<3xf32>) -> tensor<3xf32> {
  %seven = stablehlo.constant dense<7.0> : tensor<3xf32>
  %0 = stablehlo.multiply %g, %seven : tensor<3xf32>
  %1 = stablehlo.add %0, %h : tensor<3xf32>
  return %1 : tensor<3xf32>
}
