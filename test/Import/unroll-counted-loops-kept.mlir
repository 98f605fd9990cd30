// RUN: shardsmith-opt %s --unroll-counted-loops=keep-above=4 \
// RUN:   --split-input-file | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Two loops of three iterations: one op in each would be three, two are six.
// CHECK-LABEL: func.func @small(
// CHECK-NOT:     while
// CHECK-LABEL: func.func @large(
// CHECK:         stablehlo.while
// A branch inside is decided in every iteration.
// CHECK-LABEL: func.func @branch(
// CHECK:         stablehlo.while
// The function of a derivative keeps its loops, too.
// CHECK-LABEL: func.func private @derivative(
// CHECK:         stablehlo.while
// It depends on data how often this one is done.
// CHECK-LABEL: func.func @decided(
// CHECK:         stablehlo.while
// The bound of the inner loop is known as soon as the outer one is unrolled.
// CHECK-LABEL: func.func @triangle(
// CHECK-NOT:     while
// That of this one is data's, however often the outer one is unrolled.
// CHECK-LABEL: func.func @around(
// CHECK:         stablehlo.while
// CHECK:         stablehlo.while
// CHECK-NOT:     stablehlo.while

func.func @small(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %h = %x) : tensor<i32>, tensor<2xf32>
   cond {
    %t = stablehlo.compare LT, %i, %c1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %n = stablehlo.sine %h : tensor<2xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %n : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}

func.func @large(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %h = %x) : tensor<i32>, tensor<2xf32>
   cond {
    %t = stablehlo.compare LT, %i, %c2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %n = stablehlo.sine %h : tensor<2xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %n : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}

func.func @branch(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %h = %x) : tensor<i32>, tensor<2xf32>
   cond {
    %t = stablehlo.compare LT, %i, %c2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %t = stablehlo.compare LT, %i, %c1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %n = "stablehlo.if"(%t) ({
      %s = stablehlo.sine %h : tensor<2xf32>
      stablehlo.return %s : tensor<2xf32>
    }, {
      stablehlo.return %h : tensor<2xf32>
    }) : (tensor<i1>) -> tensor<2xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %n : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}

func.func private @derivative(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %h = %x) : tensor<i32>, tensor<2xf32>
   cond {
    %t = stablehlo.compare LT, %i, %c2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %n = stablehlo.sine %h : tensor<2xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %n : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}

func.func @decided(%n: tensor<i32>) -> tensor<i32> {
  %c9 = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.while(%i = %n) : tensor<i32>
   cond {
    %t = stablehlo.compare LT, %i, %c9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %j = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %0 : tensor<i32>
}

func.func @triangle(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %h = %x) : tensor<i32>, tensor<2xf32>
   cond {
    %t = stablehlo.compare LT, %i, %c2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %1:2 = stablehlo.while(%k = %c0, %g = %h) : tensor<i32>, tensor<2xf32>
     cond {
      %t = stablehlo.compare LT, %k, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %n = stablehlo.sine %g : tensor<2xf32>
      %l = stablehlo.add %k, %c1 : tensor<i32>
      stablehlo.return %l, %n : tensor<i32>, tensor<2xf32>
    }
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %1#1 : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}

func.func @around(%x: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
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
