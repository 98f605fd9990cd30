// RUN: shardsmith-opt %s --mark-loops --split-input-file | FileCheck %s
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

// -----

// It depends on data how often the body is done: the condition is there twice,
// of what the loop begins with and of what an iteration hands on. A value that
// counts goes around like any other, for nobody knows how far it counts.
// CHECK-LABEL: func.func @decided(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>, %[[XS:.*]]: tensor<32x4xf32>, %[[N:.*]]: tensor<i32>)
// CHECK:         %[[BEGINS:.*]] = stablehlo.compare LT, %[[I0:.*]], %[[N]], SIGNED
// CHECK:         %[[I:.*]] = smith.loop_carry %[[I0]] loop 0 of 32 number = 0 : tensor<i32>
// CHECK-NEXT:    %[[H:.*]] = smith.loop_carry %[[X]] loop 0 of 32 number = 1
// CHECK-NEXT:    stablehlo.dynamic_slice %[[XS]], %[[I]],
// CHECK:         %[[NEXT:.*]] = stablehlo.multiply %{{.*}}, %[[W]]
// CHECK:         %[[J:.*]] = stablehlo.add %[[I]], %{{.*}} : tensor<i32>
// CHECK:         %[[G:.*]] = smith.loop_carry %[[BEGINS]] loop 0 of 32 number = 2 : tensor<i1>
// CHECK:         %[[ON:.*]] = stablehlo.compare LT, %[[J]], %[[N]], SIGNED
// CHECK-NEXT:    smith.loop_next %[[ON]] for %[[G]] decides loop 0 of 32 : tensor<i1>
// CHECK-NEXT:    smith.loop_next %[[J]] for %[[I]] loop 0 of 32
// CHECK-NEXT:    %[[Z:.*]] = smith.loop_next %[[NEXT]] for %[[H]] loop 0 of 32
// CHECK-NEXT:    return %[[Z]]
func.func @decided(%x: tensor<4xf32>, %w: tensor<4xf32>, %xs: tensor<32x4xf32>, %many: tensor<i32>) -> tensor<4xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%i = %c0, %h = %x, %n = %many) : tensor<i32>, tensor<4xf32>, tensor<i32>
   cond {
    %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %xs, %i, %c0, sizes = [1, 4] : (tensor<32x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %flat = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>
    %s = stablehlo.add %h, %flat : tensor<4xf32>
    %m = stablehlo.multiply %s, %w : tensor<4xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %m, %n : tensor<i32>, tensor<4xf32>, tensor<i32>
  }
  return %0#1 : tensor<4xf32>
}

// -----

// A loop that data ends is in a counted one as the values say that it hands on.
// CHECK-LABEL: func.func @inside(
// CHECK-DAG:     %[[H:.*]] = smith.loop_carry %{{.*}} loop 0 of 3 number = 0 : tensor<2xf32>
// CHECK-DAG:     %[[I:.*]] = smith.loop_index loop 0 of 3
// CHECK:         %[[BEGINS:.*]] = stablehlo.compare LT, %[[I]], %[[N:.*]], SIGNED
// CHECK:         smith.loop_carry %[[I]] loop 1 of 32
// CHECK:         smith.loop_carry %[[H]] loop 1 of 32
// CHECK:         smith.loop_next %{{.*}} for %{{.*}} decides loop 1 of 32
// CHECK:         %[[Z:.*]] = smith.loop_next %{{.*}} for %{{.*}} loop 1 of 32 : tensor<2xf32>
// CHECK:         smith.loop_next %[[Z]] for %[[H]] loop 0 of 3
func.func @inside(%x: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %h = %x) : tensor<i32>, tensor<2xf32>
   cond {
    %t = stablehlo.compare LT, %i, %c3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %1:2 = stablehlo.while(%k = %i, %g = %h) : tensor<i32>, tensor<2xf32>
     cond {
      %t = stablehlo.compare LT, %k, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %s = stablehlo.sine %g : tensor<2xf32>
      %l = stablehlo.add %k, %c1 : tensor<i32>
      stablehlo.return %l, %s : tensor<i32>, tensor<2xf32>
    }
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %1#1 : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}

// -----

// Branches are loops that are done once or not at all. What they read enters, so
// that all they compute is in them; constants need not.
// CHECK-LABEL: func.func @branch(
// CHECK-SAME:    %[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<4xf32>)
// CHECK-DAG:     %[[ZEROS:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<4xf32>
// CHECK-DAG:     %[[NOT:.*]] = stablehlo.not %[[P]]
// CHECK:         %[[X0:.*]] = smith.loop_enter %[[X]] loop 0 of 1 : tensor<4xf32>
// CHECK-NEXT:    %[[S:.*]] = stablehlo.sine %[[X0]]
// CHECK-NEXT:    %[[C0:.*]] = smith.loop_carry %[[ZEROS]] loop 0 of 1 number = 0
// CHECK-NEXT:    %[[R0:.*]] = smith.loop_next %[[S]] for %[[C0]] loop 0 of 1
// CHECK:         %[[G0:.*]] = smith.loop_carry %[[P]] loop 0 of 1 number = 1 : tensor<i1>
// CHECK-NEXT:    smith.loop_next %{{.*}} for %[[G0]] decides loop 0 of 1
// CHECK-NEXT:    %[[X1:.*]] = smith.loop_enter %[[X]] loop 1 of 1
// CHECK-NEXT:    stablehlo.constant
// CHECK-NEXT:    %[[A:.*]] = stablehlo.add %[[X1]], %{{.*}}
// CHECK-NEXT:    %[[C1:.*]] = smith.loop_carry %[[R0]] loop 1 of 1 number = 0
// CHECK-NEXT:    %[[R1:.*]] = smith.loop_next %[[A]] for %[[C1]] loop 1 of 1
// CHECK:         %[[G1:.*]] = smith.loop_carry %[[NOT]] loop 1 of 1 number = 1
// CHECK-NEXT:    smith.loop_next %{{.*}} for %[[G1]] decides loop 1 of 1
// CHECK-NEXT:    return %[[R1]]
func.func @branch(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = "stablehlo.if"(%p) ({
    %s = stablehlo.sine %x : tensor<4xf32>
    stablehlo.return %s : tensor<4xf32>
  }, {
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    %a = stablehlo.add %x, %one : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// An index outside of the branches takes the last one. A branch in a branch is a
// loop in a loop.
// CHECK-LABEL: func.func @switch(
// CHECK-SAME:    %[[I:.*]]: tensor<i32>, %[[X:.*]]: tensor<f32>)
// CHECK:         %[[IS0:.*]] = stablehlo.compare EQ, %[[I]], %{{.*}}
// CHECK:         %[[IS1:.*]] = stablehlo.compare EQ, %[[I]], %{{.*}}
// CHECK:         %[[ANY:.*]] = stablehlo.or %{{.*}}, %[[IS1]]
// CHECK-NEXT:    %[[ELSE:.*]] = stablehlo.not %[[ANY]]
// CHECK:         smith.loop_carry %[[IS0]] loop [[FIRST:.*]] of 1
// CHECK:         smith.loop_carry %[[IS1]] loop [[SECOND:.*]] of 1
// CHECK:         %[[ENTERED:.*]] = smith.loop_enter %[[X]] loop [[LAST:.*]] of 1
// CHECK:         smith.loop_enter %[[ENTERED]] loop [[INNER:.*]] of 1
// CHECK:         smith.loop_carry %[[ELSE]] loop [[LAST]] of 1
func.func @switch(%i: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.case"(%i) ({
    %s = stablehlo.sine %x : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }, {
    stablehlo.return %zero : tensor<f32>
  }, {
    %p = stablehlo.compare LT, %x, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %n = "stablehlo.if"(%p) ({
      %m = stablehlo.negate %x : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }, {
      stablehlo.return %x : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    stablehlo.return %n : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// A branch of complex numbers: a result begins as zero.
// CHECK-LABEL: @complex_branch
// CHECK: %[[ZERO:.*]] = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
// CHECK: %[[ZEROS:.*]] = stablehlo.broadcast_in_dim %[[ZERO]], dims = [] : (tensor<complex<f32>>) -> tensor<3xcomplex<f32>>
// CHECK: %[[X:.*]] = smith.loop_enter %arg0 loop 0 of 1 : tensor<3xcomplex<f32>>
// CHECK: %[[S:.*]] = stablehlo.add %[[X]], %[[X]]
// CHECK: %[[C:.*]] = smith.loop_carry %[[ZEROS]] loop 0 of 1 number = 0 : tensor<3xcomplex<f32>>
// CHECK: %[[R:.*]] = smith.loop_next %[[S]] for %[[C]] loop 0 of 1 : tensor<3xcomplex<f32>>
func.func @complex_branch(%x: tensor<3xcomplex<f32>>, %p: tensor<i1>) -> tensor<3xcomplex<f32>> {
  %r = "stablehlo.if"(%p) ({
    %s = stablehlo.add %x, %x : tensor<3xcomplex<f32>>
    stablehlo.return %s : tensor<3xcomplex<f32>>
  }, {
    stablehlo.return %x : tensor<3xcomplex<f32>>
  }) : (tensor<i1>) -> tensor<3xcomplex<f32>>
  return %r : tensor<3xcomplex<f32>>
}
