// RUN: shardsmith-opt %s --schedule-stages | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Two loops over layers, one per stage. All ops of a loop are in one fragment,
// also those without mark (markers, what is kept for the backward pass) and
// those that begin with the batch: %m goes around loop 0, which has parameters.

// CHECK-LABEL: func.func private @forward_0
// CHECK:         %[[H:.*]] = smith.loop_carry %{{.*}} loop 0 of 2
// CHECK:         %[[S:.*]] = stablehlo.sine %[[H]]
// CHECK:         %[[KEPT:.*]] = smith.loop_stack %[[S]] loop 0 of 2
// CHECK:         %[[N:.*]] = smith.loop_next %{{.*}} for %[[H]] loop 0 of 2
// CHECK-NOT:     loop 1
// CHECK:         return %[[N]], %[[KEPT]]

// CHECK-LABEL: func.func private @forward_1
// CHECK-NOT:     loop 0
// CHECK:         smith.loop_next %{{.*}} loop 1 of 2

// Of the loop that stage 0 waits for the gradients of parameters are no part by
// themselves, so nothing is left for later.
// CHECK-LABEL: func.func private @backward_1
// CHECK:         smith.loop_stack %{{.*}} loop 2 of 2 reversed
// CHECK:         smith.loop_next %{{.*}} loop 2 of 2
// CHECK-NOT:   func.func private @weights_1

// Nobody waits for what the first stage does last.
// CHECK-NOT:   func.func private @backward_0
// CHECK-LABEL: func.func private @weights_0
// CHECK:         smith.loop_slice %{{.*}} loop 3 of 2 reversed
// CHECK:         smith.loop_stack %{{.*}} loop 3 of 2 reversed

// CHECK-LABEL: func.func private @rank_0
// CHECK:         %[[F:.*]]:2 = smith.run @forward_0 micro_batch = 0
// CHECK-NEXT:    smith.send %[[F]]#0 to 1
// CHECK:         smith.receive from 1
// CHECK:         smith.run @weights_0 micro_batch = 0 with(%{{.*}}, %[[F]]#1
module attributes {smith.schedule = "0F0,,,0B0\n,1F0,1B0,\n"} {
  sdy.mesh @mesh = <["pipeline"=2]>
  func.func @main(%a: tensor<2x4xf32> {smith.name = "a", smith.role = "param"},
                  %b: tensor<2x4xf32> {smith.name = "b", smith.role = "param"},
                  %x: tensor<2x4xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<2x4xf32> {smith.name = "a", smith.role = "param"},
          tensor<2x4xf32> {smith.name = "b", smith.role = "param"},
          tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
    %i = smith.micro_batch_index of 1 : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %part = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 4]
        : (tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %m = stablehlo.reshape %part : (tensor<1x4xf32>) -> tensor<4xf32>

    %h = smith.loop_carry %m loop 0 of 2 number = 0 : tensor<4xf32>
    %w = smith.loop_slice %a loop 0 of 2 : tensor<2x4xf32> -> tensor<4xf32>
    %s = stablehlo.sine %h : tensor<4xf32>
    %n = stablehlo.multiply %s, %w {smith.stage = 0 : i64} : tensor<4xf32>
    %kept = smith.loop_stack %s loop 0 of 2 : tensor<4xf32> -> tensor<2x4xf32>
    %y = smith.loop_next %n for %h loop 0 of 2 : tensor<4xf32>

    %g = smith.loop_carry %y loop 1 of 2 number = 0 : tensor<4xf32>
    %v = smith.loop_slice %b loop 1 of 2 : tensor<2x4xf32> -> tensor<4xf32>
    %o = stablehlo.multiply %g, %v {smith.stage = 1 : i64} : tensor<4xf32>
    %kept1 = smith.loop_stack %g loop 1 of 2 : tensor<4xf32> -> tensor<2x4xf32>
    %z = smith.loop_next %o for %g loop 1 of 2 : tensor<4xf32>
    %l = stablehlo.reduce(%z init: %none) applies stablehlo.add across dimensions = [0]
        {smith.stage = 1 : i64} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>

    %dz = stablehlo.sine %z {smith.stage = 1 : i64, smith.backward} : tensor<4xf32>
    %do = smith.loop_carry %dz loop 2 of 2 number = 0 : tensor<4xf32>
    %v1 = smith.loop_slice %b loop 2 of 2 reversed : tensor<2x4xf32> -> tensor<4xf32>
    %g1 = smith.loop_slice %kept1 loop 2 of 2 reversed : tensor<2x4xf32> -> tensor<4xf32>
    %dg = stablehlo.multiply %do, %v1 {smith.stage = 1 : i64, smith.backward} : tensor<4xf32>
    %dv = stablehlo.multiply %do, %g1 {smith.stage = 1 : i64, smith.backward} : tensor<4xf32>
    %db = smith.loop_stack %dv loop 2 of 2 reversed : tensor<4xf32> -> tensor<2x4xf32>
    %dy = smith.loop_next %dg for %do loop 2 of 2 : tensor<4xf32>

    %dn = smith.loop_carry %dy loop 3 of 2 number = 0 : tensor<4xf32>
    %w1 = smith.loop_slice %a loop 3 of 2 reversed : tensor<2x4xf32> -> tensor<4xf32>
    %s1 = smith.loop_slice %kept loop 3 of 2 reversed : tensor<2x4xf32> -> tensor<4xf32>
    %dw = stablehlo.multiply %dn, %s1 {smith.stage = 0 : i64, smith.backward} : tensor<4xf32>
    %ds = stablehlo.multiply %dn, %w1 {smith.stage = 0 : i64, smith.backward} : tensor<4xf32>
    %da = smith.loop_stack %dw loop 3 of 2 reversed : tensor<4xf32> -> tensor<2x4xf32>
    %dm = smith.loop_next %ds for %dn loop 3 of 2 : tensor<4xf32>

    %sa = smith.accumulate %da kind = sum : tensor<2x4xf32>
    %sb = smith.accumulate %db kind = sum : tensor<2x4xf32>
    %sl = smith.accumulate %l kind = sum : tensor<f32>
    %newA = stablehlo.subtract %a, %sa : tensor<2x4xf32>
    %newB = stablehlo.subtract %b, %sb : tensor<2x4xf32>
    return %newA, %newB, %sl : tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>
  }
}
