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
// CHECK-NOT:     while
// The function of a derivative is put into others.
// CHECK-LABEL: func.func private @derivative(
// CHECK-NOT:     while

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
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %h = %x) : tensor<i32>, tensor<2xf32>
   cond {
    %t = stablehlo.compare LT, %i, %c3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
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
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %h = %x) : tensor<i32>, tensor<2xf32>
   cond {
    %t = stablehlo.compare LT, %i, %c3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
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
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %h = %x) : tensor<i32>, tensor<2xf32>
   cond {
    %t = stablehlo.compare LT, %i, %c3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %n = stablehlo.sine %h : tensor<2xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %n : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}
