// RUN: shardsmith-opt %s --train=optimizer=sgd --split-input-file | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// %w is read in every iteration: its cotangent is summed. The product reads the
// value that goes around, which is kept, and the element of the scan, which is
// taken again. Backwards, iteration 0 works on the last element.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[W:.*]]: tensor<2xf32> {{{.*}}}, %[[XS:.*]]: tensor<5x2xf32>
// CHECK:         %[[H:.*]] = smith.loop_carry %{{.*}} loop 0 of 5 number = 0
// CHECK-NEXT:    %[[KEPT:.*]] = smith.loop_stack %[[H]] loop 0 of 5 :
// CHECK-NOT:     smith.loop_stack
// CHECK:         smith.loop_next %{{.*}} for %[[H]] loop 0 of 5
// CHECK:         %[[G:.*]] = smith.loop_carry %{{.*}} loop 1 of 5 number = 0
// CHECK-DAG:     %[[H1:.*]] = smith.loop_slice %[[KEPT]] loop 1 of 5 reversed
// CHECK-DAG:     %[[X1:.*]] = smith.loop_slice %[[XS]] loop 1 of 5 reversed
// CHECK-DAG:     %[[GX:.*]] = stablehlo.multiply %[[G]], %[[X1]]
// CHECK-DAG:     %[[DH:.*]] = stablehlo.multiply %[[GX]], %[[W]]
// CHECK-DAG:     %[[DW:.*]] = stablehlo.multiply %[[GX]], %[[H1]]
// CHECK:         %[[S:.*]] = smith.loop_carry %{{.*}} loop 1 of 5 number = 1
// CHECK:         %[[NEXT:.*]] = stablehlo.add %[[S]], %[[DW]]
// CHECK:         %[[SUM:.*]] = smith.loop_next %[[NEXT]] for %[[S]] loop 1 of 5
func.func @main(
    %w: tensor<2xf32> {smith.role = "param", smith.name = "w"},
    %xs: tensor<5x2xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %h = smith.loop_carry %one loop 0 of 5 number = 0 : tensor<2xf32>
  %x = smith.loop_slice %xs loop 0 of 5 : tensor<5x2xf32> -> tensor<2xf32>
  %a = stablehlo.multiply %h, %w : tensor<2xf32>
  %n = stablehlo.multiply %a, %x : tensor<2xf32>
  %z = smith.loop_next %n for %h loop 0 of 5 : tensor<2xf32>
  %loss = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Stacked parameters have stacked gradients. What is marked is made again from
// what goes around, and not kept. Sums of narrow floats are made in f32.
// CHECK-LABEL: func.func @main(
// CHECK:         %[[H:.*]] = smith.loop_carry %{{.*}} loop 0 of 5 number = 0
// CHECK-NEXT:    %[[KEPT:.*]] = smith.loop_stack %[[H]] loop 0 of 5 :
// CHECK:         stablehlo.sine %[[H]]
// CHECK-NEXT:    stablehlo.multiply
// CHECK:         smith.loop_carry %{{.*}} loop 1 of 5
// CHECK:         %[[H1:.*]] = smith.loop_slice %[[KEPT]] loop 1 of 5 reversed
// CHECK:         stablehlo.sine %[[H1]]
// CHECK:         smith.loop_stack %{{.*}} loop 1 of 5 reversed : tensor<2xf32> -> tensor<5x2xf32>
// CHECK:         %[[S:.*]] = smith.loop_carry %{{.*}} loop 1 of 5 number = 1 : tensor<2xf32>
// CHECK:         %[[SUM:.*]] = smith.loop_next %{{.*}} for %[[S]] loop 1 of 5 : tensor<2xf32>
// CHECK:         stablehlo.convert %[[SUM]] : (tensor<2xf32>) -> tensor<2xbf16>
func.func @main(
    %ws: tensor<5x2xf32> {smith.role = "param", smith.name = "w"},
    %v: tensor<2xf32> {smith.role = "param", smith.name = "v"},
    %b: tensor<2xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %narrow = stablehlo.convert %v : (tensor<2xf32>) -> tensor<2xbf16>
  %h = smith.loop_carry %b loop 0 of 5 number = 0 : tensor<2xf32>
  %w = smith.loop_slice %ws loop 0 of 5 : tensor<5x2xf32> -> tensor<2xf32>
  %s = stablehlo.sine %h {smith.recompute = "full"} : tensor<2xf32>
  %a = stablehlo.multiply %s, %w : tensor<2xf32>
  %wide = stablehlo.convert %narrow : (tensor<2xbf16>) -> tensor<2xf32>
  %hn = stablehlo.convert %h : (tensor<2xf32>) -> tensor<2xbf16>
  %m = stablehlo.multiply %hn, %narrow : tensor<2xbf16>
  %mw = stablehlo.convert %m : (tensor<2xbf16>) -> tensor<2xf32>
  %n = stablehlo.add %a, %mw : tensor<2xf32>
  %z = smith.loop_next %n for %h loop 0 of 5 : tensor<2xf32>
  %loss = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// What decided the branch decides its backward pass. What is not done leaves the
// gradient of the parameter at zero; the cotangent of what the branch began with
// goes through it there.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[W:.*]]: tensor<f32> {{{.*}}}, %[[P:.*]]: tensor<i1>
// CHECK:         smith.loop_next %{{.*}} for %{{.*}} decides loop 0 of 1
// CHECK:         %[[G:.*]] = smith.loop_carry %[[P]] loop 1 of 1 number = [[N:.*]] : tensor<i1>
// CHECK-NEXT:    smith.loop_next %{{.*}} for %[[G]] decides loop 1 of 1
// CHECK:         smith.loop_enter %[[W]] loop 1 of 1
// CHECK:         stablehlo.cosine
// CHECK:         smith.loop_next %{{.*}} for %{{.*}} loop 1 of 1
func.func @main(
    %w: tensor<f32> {smith.role = "param", smith.name = "w"},
    %p: tensor<i1> {smith.role = "batch", smith.name = "p", smith.batch_dim = -1})
    -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %never = stablehlo.constant dense<false> : tensor<i1>
  %in = smith.loop_enter %w loop 0 of 1 : tensor<f32>
  %s = stablehlo.sine %in : tensor<f32>
  %c = smith.loop_carry %w loop 0 of 1 number = 0 : tensor<f32>
  %z = smith.loop_next %s for %c loop 0 of 1 : tensor<f32>
  %g = smith.loop_carry %p loop 0 of 1 number = 1 : tensor<i1>
  %end = smith.loop_next %never for %g decides loop 0 of 1 : tensor<i1>
  return %z : tensor<f32>
}
