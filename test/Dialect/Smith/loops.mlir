// RUN: shardsmith-opt %s | shardsmith-opt | FileCheck %s
// RUN: shardsmith-opt %s --report-factor-rules -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RULES
// SPDX-License-Identifier: Apache-2.0

// CHECK-LABEL: func.func @loop(
// CHECK-NEXT:    %[[I:.*]] = smith.loop_index loop 3 of 5 : tensor<i32>
// CHECK-NEXT:    %[[C:.*]] = smith.loop_carry %{{.*}} loop 3 of 5 number = 2 : tensor<2x4xf32>
// CHECK-NEXT:    %[[X:.*]] = smith.loop_slice %{{.*}} loop 3 of 5 reversed : tensor<5x2x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT:    %[[S:.*]] = smith.loop_stack %[[X]] loop 3 of 5 : tensor<2x4xf32> -> tensor<5x2x4xf32>
// CHECK-NEXT:    %[[Z:.*]] = smith.loop_next %[[X]] for %[[C]] loop 3 of 5 : tensor<2x4xf32>
// RULES: ([i, j])->([i, j]) {i=2, j=4}
// RULES: ([i, j, k])->([j, k]) {i=5, j=2, k=4} need_replication={i}
// RULES: ([j, k])->([i, j, k]) {i=5, j=2, k=4} need_replication={i}
// RULES: ([i, j], [i, j])->([i, j]) {i=2, j=4}
func.func @loop(%h: tensor<2x4xf32>, %xs: tensor<5x2x4xf32>) -> (tensor<2x4xf32>, tensor<5x2x4xf32>, tensor<i32>) {
  %i = smith.loop_index loop 3 of 5 : tensor<i32>
  %c = smith.loop_carry %h loop 3 of 5 number = 2 : tensor<2x4xf32>
  %x = smith.loop_slice %xs loop 3 of 5 reversed : tensor<5x2x4xf32> -> tensor<2x4xf32>
  %s = smith.loop_stack %x loop 3 of 5 : tensor<2x4xf32> -> tensor<5x2x4xf32>
  %z = smith.loop_next %x for %c loop 3 of 5 : tensor<2x4xf32>
  return %z, %s, %i : tensor<2x4xf32>, tensor<5x2x4xf32>, tensor<i32>
}

// CHECK-LABEL: func.func @branch(
// CHECK:         smith.loop_enter %{{.*}} loop 0 of 1 : tensor<2x4xf32>
// CHECK:         smith.loop_next %{{.*}} for %{{.*}} decides loop 0 of 1 : tensor<i1>
// RULES: ([i, j])->([i, j]) {i=2, j=4}
func.func @branch(%p: tensor<i1>, %x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %never = stablehlo.constant dense<false> : tensor<i1>
  %in = smith.loop_enter %x loop 0 of 1 : tensor<2x4xf32>
  %c = smith.loop_carry %x loop 0 of 1 number = 0 : tensor<2x4xf32>
  %z = smith.loop_next %in for %c loop 0 of 1 : tensor<2x4xf32>
  %g = smith.loop_carry %p loop 0 of 1 number = 1 : tensor<i1>
  %end = smith.loop_next %never for %g decides loop 0 of 1 : tensor<i1>
  return %z : tensor<2x4xf32>
}

// What decides a loop is known to every device: it is no sum of their terms.
// CHECK-LABEL: func.func @decided(
// CHECK:         smith.loop_next %{{.*}} for %{{.*}} decides loop 0 of 32 : tensor<i1>
// RULES: ([], [])->([]) {}
func.func @decided(%g: tensor<i1>) -> tensor<i1> {
  %c = smith.loop_carry %g loop 0 of 32 number = 0 : tensor<i1>
  %n = stablehlo.not %c : tensor<i1>
  %z = smith.loop_next %n for %c decides loop 0 of 32 : tensor<i1>
  return %z : tensor<i1>
}
