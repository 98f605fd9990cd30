// RUN: shardsmith-opt %s --split-micro-batches=count=2 --split-input-file | FileCheck %s
// RUN: shardsmith-opt %s --split-micro-batches=count=2 --split-input-file --outline-micro-batches --outline-loops | FileCheck %s --check-prefix=NESTED
// SPDX-License-Identifier: Apache-2.0

// What goes around begins whole and is handed on in parts, so it is cut at the
// begin; the sum that goes around is one of terms, added up behind the loop.

// CHECK-LABEL: func.func @main
// CHECK: %[[I:.*]] = smith.micro_batch_index of 2
// CHECK: smith.loop_carry %{{.*}} loop 0 of 5 number = 0 : tensor<2x3xf32>
// CHECK: smith.loop_slice %{{.*}} loop 0 of 5 : tensor<5x2x3xf32> -> tensor<2x3xf32>
// CHECK: smith.loop_next {{.*}} : tensor<2x3xf32>
// CHECK: %[[SUM:.*]] = smith.loop_next {{.*}} loop 0 of 5 : tensor<f32>
// CHECK: %[[ALL:.*]] = smith.accumulate %[[SUM]] kind = sum
// CHECK: return %[[ALL]]
// NESTED-LABEL: func.func @main
// NESTED: smith.repeat @micro_batch count = 2
// NESTED: func.func private @micro_batch
// NESTED: smith.repeat @micro_batch_loop_0 count = 5
func.func @main(%x: tensor<5x4x3xf32> {smith.role = "batch", smith.name = "x", smith.batch_dim = 1 : i64},
                %w: tensor<3x3xf32> {smith.role = "param", smith.name = "w"}) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<4x3xf32>
  %h = smith.loop_carry %zeros loop 0 of 5 number = 0 : tensor<4x3xf32>
  %s = smith.loop_carry %zero loop 0 of 5 number = 1 : tensor<f32>
  %xi = smith.loop_slice %x loop 0 of 5 : tensor<5x4x3xf32> -> tensor<4x3xf32>
  %d = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x3xf32>) -> tensor<4x3xf32>
  %n = stablehlo.add %d, %xi : tensor<4x3xf32>
  %z = smith.loop_next %n for %h loop 0 of 5 : tensor<4x3xf32>
  %t = stablehlo.reduce(%n init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>
  %total = stablehlo.add %s, %t : tensor<f32>
  %sum = smith.loop_next %total for %s loop 0 of 5 : tensor<f32>
  return %sum : tensor<f32>
}

// -----

// A whole value that is added to a term counts in the first micro-batch alone;
// what a repeated loop makes equal in all of them is that of the first, too.

// CHECK-LABEL: func.func @main
// CHECK: %[[I:.*]] = smith.micro_batch_index of 2
// CHECK: %[[FIRST:.*]] = stablehlo.compare EQ, %[[I]]
// CHECK: stablehlo.select
// CHECK: smith.loop_next {{.*}} : tensor<f32>
// CHECK: smith.accumulate
func.func @main(%x: tensor<4xf32> {smith.role = "batch", smith.name = "x"},
                %w: tensor<f32> {smith.role = "param", smith.name = "w"}) -> (tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = smith.loop_carry %w loop 0 of 5 number = 0 : tensor<f32>
  %c = smith.loop_carry %w loop 0 of 5 number = 1 : tensor<f32>
  %t = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %a = stablehlo.add %s, %t : tensor<f32>
  %b = stablehlo.sine %c : tensor<f32>
  %sum = smith.loop_next %a for %s loop 0 of 5 : tensor<f32>
  %last = smith.loop_next %b for %c loop 0 of 5 : tensor<f32>
  return %sum, %last : tensor<f32>, tensor<f32>
}
