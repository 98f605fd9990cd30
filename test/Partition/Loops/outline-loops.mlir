// RUN: shardsmith-opt %s --outline-loops --split-input-file | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// What does not depend on the loop is before it, broadcasts are made inside.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[W:.*]]: tensor<2xf32>, %[[XS:.*]]: tensor<5x2xf32>, %[[H0:.*]]: tensor<2xf32>)
// CHECK:         %[[V:.*]] = stablehlo.sine %[[W]]
// CHECK:         %[[R:.*]]:2 = smith.repeat @main_loop_0 count = 5 with(%[[XS]], %[[V]]) carry(%{{.*}}, %[[H0]])
// CHECK-NEXT:    %[[E:.*]] = stablehlo.negate %[[R]]#1
// CHECK-NEXT:    return %[[R]]#0, %[[E]]
// CHECK:       func.func private @main_loop_0(
// CHECK-SAME:    %[[I:.*]]: tensor<i32>, %[[XS:.*]]: tensor<5x2xf32>, %[[V:.*]]: tensor<2xf32>, %[[FAR:.*]]: tensor<5x2xf32> {{{.*}}}, %[[H:.*]]: tensor<2xf32> {{{.*}}})
// CHECK:         %[[END:.*]] = stablehlo.constant dense<4> : tensor<i32>
// CHECK-NEXT:    %[[BACK:.*]] = stablehlo.subtract %[[END]], %[[I]]
// CHECK:         %[[P:.*]] = stablehlo.dynamic_slice %[[XS]], %[[BACK]], %{{.*}}, sizes = [1, 2]
// CHECK-NEXT:    %[[X:.*]] = stablehlo.reshape %[[P]]
// CHECK-NEXT:    %[[A:.*]] = stablehlo.add %[[H]], %[[X]]
// CHECK:         stablehlo.broadcast_in_dim
// CHECK:         %[[N:.*]] = stablehlo.multiply
// CHECK:         %[[S:.*]] = "stablehlo.scatter"(%[[FAR]], %{{.*}}, %[[N]])
// CHECK:         return %[[S]], %[[N]]
func.func @main(%w: tensor<2xf32>, %xs: tensor<5x2xf32>, %h0: tensor<2xf32>) -> (tensor<5x2xf32>, tensor<2xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %wide = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %h = smith.loop_carry %h0 loop 0 of 5 number = 0 : tensor<2xf32>
  %v = stablehlo.sine %w : tensor<2xf32>
  %x = smith.loop_slice %xs loop 0 of 5 reversed : tensor<5x2xf32> -> tensor<2xf32>
  %a = stablehlo.add %h, %x : tensor<2xf32>
  %b = stablehlo.add %a, %wide : tensor<2xf32>
  %n = stablehlo.multiply %b, %v : tensor<2xf32>
  %s = smith.loop_stack %n loop 0 of 5 : tensor<2xf32> -> tensor<5x2xf32>
  %z = smith.loop_next %n for %h loop 0 of 5 : tensor<2xf32>
  %e = stablehlo.negate %z : tensor<2xf32>
  return %s, %e : tensor<5x2xf32>, tensor<2xf32>
}

// -----

// An inner loop is called by the function of the outer one. What nobody needs
// after the loop goes around all the same; what nobody needs at all does not.
// CHECK-LABEL: func.func @main(
// CHECK:         smith.repeat @main_loop_0 count = 3 with() carry(
// CHECK-LABEL: func.func private @main_loop_0(
// CHECK:         smith.repeat @main_loop_0_loop_1 count = 4 with() carry(
// CHECK-LABEL: func.func private @main_loop_0_loop_1(
// CHECK-NOT:     cosine
// CHECK:         stablehlo.sine
func.func @main(%h0: tensor<2xf32>) -> tensor<3x2xf32> {
  %h = smith.loop_carry %h0 loop 0 of 3 number = 0 : tensor<2xf32>
  %g = smith.loop_carry %h loop 1 of 4 number = 0 : tensor<2xf32>
  %d = smith.loop_carry %h loop 1 of 4 number = 1 : tensor<2xf32>
  %s = stablehlo.sine %g : tensor<2xf32>
  %c = stablehlo.cosine %d : tensor<2xf32>
  %f = smith.loop_next %s for %g loop 1 of 4 : tensor<2xf32>
  %dead = smith.loop_next %c for %d loop 1 of 4 : tensor<2xf32>
  %all = smith.loop_stack %h loop 0 of 3 : tensor<2xf32> -> tensor<3x2xf32>
  %z = smith.loop_next %f for %h loop 0 of 3 : tensor<2xf32>
  return %all : tensor<3x2xf32>
}
