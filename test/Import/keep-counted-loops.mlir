// RUN: shardsmith-opt %s --keep-counted-loops --split-input-file | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// A scan: an element of the inputs is taken, one of the outputs is written, by
// an index that JAX makes positive first. The counter is computed.
// CHECK-LABEL: func.func @scan(
// CHECK-SAME:    %[[XS:.*]]: tensor<5x2xf32>, %[[H0:.*]]: tensor<2xf32>, %[[W:.*]]: tensor<2xf32>)
// CHECK-NOT:     while
// CHECK-DAG:     %[[H:.*]] = smith.loop_carry %[[H0]] loop 0 of 5 number = 0 : tensor<2xf32>
// CHECK-DAG:     %[[X:.*]] = smith.loop_slice %[[XS]] loop 0 of 5 : tensor<5x2xf32> -> tensor<2xf32>
// CHECK-DAG:     %[[X1:.*]] = stablehlo.reshape %[[X]] : (tensor<2xf32>) -> tensor<1x2xf32>
// CHECK:         %[[M:.*]] = stablehlo.multiply %[[H]], %[[W]]
// CHECK:         %[[N:.*]] = stablehlo.add %[[M]], %{{.*}} : tensor<2xf32>
// CHECK-NEXT:    stablehlo.reshape %[[N]]
// CHECK-NEXT:    %[[Y:.*]] = stablehlo.reshape %{{.*}} : (tensor<1x2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %[[YS:.*]] = smith.loop_stack %[[Y]] loop 0 of 5 : tensor<2xf32> -> tensor<5x2xf32>
// CHECK:         %[[Z:.*]] = smith.loop_next %[[N]] for %[[H]] loop 0 of 5 : tensor<2xf32>
// CHECK-NEXT:    return %[[Z]], %[[YS]]
func.func @scan(%xs: tensor<5x2xf32>, %h0: tensor<2xf32>, %w: tensor<2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c5 = stablehlo.constant dense<5> : tensor<i32>
  %0:4 = stablehlo.while(%i = %c0, %h = %h0, %ys = %xs, %u = %w) : tensor<i32>, tensor<2xf32>, tensor<5x2xf32>, tensor<2xf32>
   cond {
    %t = stablehlo.compare LT, %i, %c5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %t = stablehlo.compare LT, %i, %c0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %k = stablehlo.add %i, %c5 : tensor<i32>
    %p = stablehlo.select %t, %k, %i : tensor<i1>, tensor<i32>
    %x1 = stablehlo.dynamic_slice %xs, %p, %c0, sizes = [1, 2] : (tensor<5x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %x = stablehlo.reshape %x1 : (tensor<1x2xf32>) -> tensor<2xf32>
    %m = stablehlo.multiply %h, %u : tensor<2xf32>
    %n = stablehlo.add %m, %x : tensor<2xf32>
    %y = stablehlo.reshape %n : (tensor<2xf32>) -> tensor<1x2xf32>
    %all = stablehlo.dynamic_update_slice %ys, %y, %i, %c0 : (tensor<5x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<5x2xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %n, %all, %u : tensor<i32>, tensor<2xf32>, tensor<5x2xf32>, tensor<2xf32>
  }
  return %0#1, %0#2 : tensor<2xf32>, tensor<5x2xf32>
}

// -----

// From the back, by steps of two, and with the counter as a value. What is
// written elsewhere than at the iteration's number goes around as a whole.
// CHECK-LABEL: func.func @indices(
// CHECK:         %[[I:.*]] = smith.loop_index loop 0 of 3 : tensor<i32>
// CHECK-NEXT:    %[[TWO:.*]] = stablehlo.constant dense<2> : tensor<i32>
// CHECK-NEXT:    %[[I2:.*]] = stablehlo.multiply %[[I]], %[[TWO]]
// CHECK-NEXT:    %[[ONE:.*]] = stablehlo.constant dense<1> : tensor<i32>
// CHECK-NEXT:    %[[COUNT:.*]] = stablehlo.add %[[I2]], %[[ONE]]
// CHECK-DAG:     %[[S:.*]] = smith.loop_carry %{{.*}} loop 0 of 3 number = 0 : tensor<i32>
// CHECK-DAG:     %[[ALL:.*]] = smith.loop_carry %{{.*}} loop 0 of 3 number = 1 : tensor<3xi32>
// CHECK:         smith.loop_slice %{{.*}} loop 0 of 3 reversed : tensor<3xi32> -> tensor<i32>
// CHECK:         stablehlo.dynamic_slice %{{.*}}, %{{.*}}, sizes = [1]
// CHECK:         stablehlo.dynamic_update_slice %[[ALL]]
// CHECK:         %[[END:.*]] = stablehlo.constant dense<7> : tensor<i32>
// CHECK:         return %{{.*}}, %[[END]], %{{.*}}
func.func @indices(%xs: tensor<3xi32>, %s0: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<3xi32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %c7 = stablehlo.constant dense<7> : tensor<i32>
  %0:4 = stablehlo.while(%i = %c1, %s = %s0, %all = %xs, %n = %c0) : tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<i32>
   cond {
    %t = stablehlo.compare LT, %i, %c7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %back = stablehlo.subtract %c2, %n : tensor<i32>
    %x1 = stablehlo.dynamic_slice %xs, %back, sizes = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<1xi32>
    %x2 = stablehlo.dynamic_slice %xs, %s, sizes = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<1xi32>
    %x = stablehlo.add %x1, %x2 : tensor<1xi32>
    %y = stablehlo.reshape %x : (tensor<1xi32>) -> tensor<i32>
    %z = stablehlo.add %y, %i : tensor<i32>
    %w = stablehlo.dynamic_update_slice %all, %x, %s : (tensor<3xi32>, tensor<1xi32>, tensor<i32>) -> tensor<3xi32>
    %j = stablehlo.add %i, %c2 : tensor<i32>
    %m = stablehlo.add %n, %c1 : tensor<i32>
    stablehlo.return %j, %z, %w, %m : tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<i32>
  }
  return %0#1, %0#0, %0#2 : tensor<i32>, tensor<i32>, tensor<3xi32>
}
