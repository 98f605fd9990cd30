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

// -----

// The value that decides is one of those that go around. It stays as long as
// anything of the loop does, though nothing reads it at the end; a loop of which
// nothing is read goes.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<f32>, %[[G:.*]]: tensor<i1>)
// CHECK:         %[[R:.*]]:2 = smith.repeat @main_loop_0 count = 32 while 0 with() carry(%[[G]], %[[X]])
// CHECK-NEXT:    return %[[R]]#1
// CHECK:       func.func private @main_loop_0(
// CHECK-SAME:    %{{.*}}: tensor<i32>, %{{.*}}: tensor<i1> {{{.*}}}, %[[H:.*]]: tensor<f32> {{{.*}}})
// CHECK:         %[[N:.*]] = stablehlo.sine %[[H]]
// CHECK:         %[[ON:.*]] = stablehlo.compare LT, %[[N]], %{{.*}}
// CHECK:         return %[[ON]], %[[N]]
func.func @main(%x: tensor<f32>, %g: tensor<i1>) -> tensor<f32> {
  %most = stablehlo.constant dense<0.5> : tensor<f32>
  %h = smith.loop_carry %x loop 0 of 32 number = 0 : tensor<f32>
  %n = stablehlo.sine %h : tensor<f32>
  %c = smith.loop_carry %g loop 0 of 32 number = 1 : tensor<i1>
  %on = stablehlo.compare LT, %n, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %end = smith.loop_next %on for %c decides loop 0 of 32 : tensor<i1>
  %z = smith.loop_next %n for %h loop 0 of 32 : tensor<f32>
  %other = smith.loop_carry %g loop 1 of 32 number = 0 : tensor<i1>
  %not = stablehlo.not %other : tensor<i1>
  %unread = smith.loop_next %not for %other decides loop 1 of 32 : tensor<i1>
  return %z : tensor<f32>
}

// -----

// What enters is read from the caller.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<f32>, %[[P:.*]]: tensor<i1>)
// CHECK:         smith.repeat @main_loop_0 count = 1 while 1 with(%[[X]]) carry(%[[X]], %[[P]])
// CHECK:       func.func private @main_loop_0(
// CHECK-SAME:    %{{.*}}: tensor<i32>, %[[IN:.*]]: tensor<f32>, %{{.*}}: tensor<f32> {{{.*}}}, %{{.*}}: tensor<i1> {{{.*}}})
// CHECK:         %[[S:.*]] = stablehlo.sine %[[IN]]
// CHECK:         %[[NEVER:.*]] = stablehlo.constant dense<false>
// CHECK:         return %[[S]], %[[NEVER]]
func.func @main(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
  %never = stablehlo.constant dense<false> : tensor<i1>
  %in = smith.loop_enter %x loop 0 of 1 : tensor<f32>
  %s = stablehlo.sine %in : tensor<f32>
  %c = smith.loop_carry %x loop 0 of 1 number = 0 : tensor<f32>
  %z = smith.loop_next %s for %c loop 0 of 1 : tensor<f32>
  %g = smith.loop_carry %p loop 0 of 1 number = 1 : tensor<i1>
  %end = smith.loop_next %never for %g decides loop 0 of 1 : tensor<i1>
  return %z : tensor<f32>
}
