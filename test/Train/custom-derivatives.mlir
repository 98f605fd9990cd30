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

// -----

// A fixed point has the derivative that its function gives, and a loop in that
// function a number of its own where it is put. The loop of the forward pass has
// no backward loop: nothing asks for its derivative.
// CHECK-LABEL: func.func public @main(
// CHECK:         smith.loop_next %{{.*}} for %{{.*}} decides loop 0 of 32
// CHECK:         %[[G:.*]] = smith.loop_carry %{{.*}} loop 1 of 32 number = 0 : tensor<f32>
// CHECK:         smith.loop_next %{{.*}} for %{{.*}} decides loop 1 of 32
// CHECK:         %[[D:.*]] = smith.loop_next %{{.*}} for %[[G]] loop 1 of 32
// CHECK-NOT:     smith.loop_
// CHECK:         return %[[D]],
func.func public @main(
    %w: tensor<f32> {smith.name = "w", smith.role = "param"},
    %go: tensor<i1> {smith.name = "go", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %most = stablehlo.constant dense<0.5> : tensor<f32>
  %h = smith.loop_carry %w loop 0 of 32 number = 0 : tensor<f32>
  %g = smith.loop_carry %go loop 0 of 32 number = 1 : tensor<i1>
  %n = stablehlo.sine %h : tensor<f32>
  %on = stablehlo.compare LT, %n, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %end = smith.loop_next %on for %g decides loop 0 of 32 : tensor<i1>
  %z = smith.loop_next %n for %h loop 0 of 32 : tensor<f32>
  %y = smith.with_derivative @backward of(%w, %go) values(%z) : (tensor<f32>, tensor<i1>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @backward(%w: tensor<f32>, %go: tensor<i1>, %d: tensor<f32>) -> tensor<f32> {
  %most = stablehlo.constant dense<0.5> : tensor<f32>
  %h = smith.loop_carry %d loop 0 of 32 number = 0 : tensor<f32>
  %g = smith.loop_carry %go loop 0 of 32 number = 1 : tensor<i1>
  %n = stablehlo.multiply %h, %w : tensor<f32>
  %on = stablehlo.compare LT, %n, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %end = smith.loop_next %on for %g decides loop 0 of 32 : tensor<i1>
  %z = smith.loop_next %n for %h loop 0 of 32 : tensor<f32>
  return %z : tensor<f32>
}
