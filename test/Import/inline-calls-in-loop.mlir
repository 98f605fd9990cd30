// RUN: shardsmith-opt %s --inline-calls | FileCheck %s

// CHECK-LABEL: func.func public @main(
func.func public @main(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<8xf32> {
  // CHECK: stablehlo.while(
  // CHECK: do {
  // CHECK-NEXT: stablehlo.sine
  // CHECK-NOT: call
  %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<8xf32>
   cond {
    %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %z = func.call @sine(%y) : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %i, %z : tensor<i32>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}
func.func private @sine(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.sine %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
