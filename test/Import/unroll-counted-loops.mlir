// RUN: shardsmith-opt %s --unroll-counted-loops --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @twice(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>)
func.func @twice(%x: tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>) {
  // CHECK: %[[A:.*]] = stablehlo.sine %[[X]]
  // CHECK: %[[B:.*]] = stablehlo.sine %[[A]]
  // CHECK-NOT: stablehlo.sine
  // CHECK: %[[N:.*]] = stablehlo.constant dense<2> : tensor<i32>
  // CHECK-NOT: stablehlo.while
  // CHECK: return %[[N]], %[[B]]
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c0, %y = %x) : tensor<i32>, tensor<8xf32>
   cond {
    %c2 = stablehlo.constant dense<2> : tensor<i32>
    %t = stablehlo.compare LT, %i, %c2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %z = stablehlo.sine %y : tensor<8xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %z : tensor<i32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<i32>, tensor<8xf32>
}

// -----

// The bound is a loop value that never changes, as in lax.fori_loop, the
// comparison is turned round, and the count goes down by two: 7, 5, 3.
// CHECK-LABEL: func.func @downwards(
func.func @downwards(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-COUNT-3: stablehlo.cosine
  // CHECK-NOT: stablehlo.cosine
  %start = stablehlo.constant dense<7> : tensor<i32>
  %end = stablehlo.constant dense<3> : tensor<i32>
  %r:3 = stablehlo.while(%n = %end, %i = %start, %y = %x) : tensor<i32>, tensor<i32>, tensor<8xf32>
   cond {
    %t = stablehlo.compare LE, %n, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %c2 = stablehlo.constant dense<2> : tensor<i32>
    %z = stablehlo.cosine %y : tensor<8xf32>
    %j = stablehlo.subtract %i, %c2 : tensor<i32>
    stablehlo.return %n, %j, %z : tensor<i32>, tensor<i32>, tensor<8xf32>
  }
  return %r#2 : tensor<8xf32>
}

// -----

// The inner loop runs 0, 1 and 2 times.
// CHECK-LABEL: func.func @triangle(
func.func @triangle(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-COUNT-3: stablehlo.tanh
  // CHECK-NOT: stablehlo.tanh
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c0, %y = %x) : tensor<i32>, tensor<8xf32>
   cond {
    %t = stablehlo.compare LT, %i, %c3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %s:3 = stablehlo.while(%k = %c0, %n = %i, %z = %y) : tensor<i32>, tensor<i32>, tensor<8xf32>
     cond {
      %t = stablehlo.compare LT, %k, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %w = stablehlo.tanh %z : tensor<8xf32>
      %l = stablehlo.add %c1, %k : tensor<i32>
      stablehlo.return %l, %n, %w : tensor<i32>, tensor<i32>, tensor<8xf32>
    }
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %s#2 : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}
