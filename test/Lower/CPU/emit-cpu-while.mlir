// RUN: shardsmith-opt %s --lower-program --emit-cpu-program | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// The value that decides is read before the first call, which there may not be,
// and after each. It lies where the function writes it.

// CHECK-LABEL: llvm.func @smith_step(
// CHECK:         %[[FLAG:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK:         %[[GO:.*]] = llvm.icmp "ne" %[[FLAG]], %{{.*}} : i8
// CHECK-NEXT:    llvm.cond_br %[[GO]], ^[[BODY:bb.*]], ^[[BEHIND:bb.*]]
// CHECK-NEXT:  ^[[BODY]]:
// CHECK:         llvm.call @smith_solve(
// CHECK:         %[[AGAIN:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK:         %[[ON:.*]] = llvm.icmp "ne" %[[AGAIN]], %{{.*}} : i8
// CHECK-NEXT:    llvm.cond_br %[[ON]], ^[[BODY]], ^[[BEHIND]]
// CHECK-NEXT:  ^[[BEHIND]]:
func.func @main(%x: tensor<4xf32> {smith.name = "x", smith.role = "batch"},
                %g: tensor<i1> {smith.name = "g", smith.role = "batch"})
    -> (tensor<4xf32> {smith.name = "o", smith.role = "output"}) {
  %o:2 = smith.repeat @solve count = 32 while 1 with() carry(%x, %g) : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<i1>)
  return %o#0 : tensor<4xf32>
}
func.func private @solve(%i: tensor<i32>,
    %x: tensor<4xf32> {smith.name = "sum.0", smith.role = "state"},
    %g: tensor<i1> {smith.name = "sum.1", smith.role = "state"})
    -> (tensor<4xf32> {smith.name = "sum.0", smith.role = "state"},
        tensor<i1> {smith.name = "sum.1", smith.role = "state"}) {
  %false = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = stablehlo.compare NE, %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = stablehlo.reduce(%1 init: %false) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
  return %0, %2 : tensor<4xf32>, tensor<i1>
}
