// RUN: shardsmith-opt %s --lower-program --emit-cpu-program | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// What is done once per micro-batch is a function, which gets the addresses of
// its arguments in a table, and a loop of smith_step that calls it. The first
// address is that of the number, which kernels read from memory.

// CHECK-LABEL: llvm.func internal @smith_micro_batch(
// CHECK-SAME:    %[[CONTEXT:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[WORKSPACE:.*]]: !llvm.ptr, %[[TABLE:.*]]: !llvm.ptr)
// CHECK:         llvm.getelementptr %[[TABLE]][1]
// CHECK:         llvm.getelementptr %[[TABLE]][0]
// CHECK:         llvm.getelementptr %[[WORKSPACE]][
// CHECK:         llvm.call @smith_all_reduce(%[[CONTEXT]],
// CHECK:         llvm.getelementptr %[[TABLE]][2]
// CHECK:         llvm.return

// CHECK-LABEL: llvm.func @smith_step(%arg0: !llvm.ptr, %arg1: !llvm.ptr)
// CHECK:         %[[ADDRESSES:.*]] = llvm.alloca
// CHECK:         %[[ADDRESSES:.*]] = llvm.alloca
// CHECK:         %[[SLOT:.*]] = llvm.getelementptr %[[ADDRESSES]][0]
// CHECK-NEXT:    llvm.store %[[NUMBER:.*]], %[[SLOT]]
// CHECK:         %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT:    llvm.store %[[ZERO]], %[[NUMBER]] : i32, !llvm.ptr
// CHECK-NEXT:    llvm.br ^[[BODY:bb.*]]
// CHECK-NEXT:  ^[[BODY]]:
// CHECK:         llvm.call @smith_micro_batch(%arg0, %arg1, %{{.*}}, %[[ADDRESSES]])
// CHECK:         %[[OLD:.*]] = llvm.load %[[NUMBER]] : !llvm.ptr -> i32
// CHECK:         %[[NEXT:.*]] = llvm.add %[[OLD]], %{{.*}} : i32
// CHECK-NEXT:    llvm.store %[[NEXT]], %[[NUMBER]]
// CHECK:         %[[COUNT:.*]] = llvm.mlir.constant(6 : i32)
// CHECK:         %[[LEFT:.*]] = llvm.icmp "slt" %[[NEXT]], %[[COUNT]] : i32
// CHECK-NEXT:    llvm.cond_br %[[LEFT]], ^[[BODY]], ^[[BEHIND:bb.*]]
// CHECK-NEXT:  ^[[BEHIND]]:
// CHECK:         llvm.return
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<6xi32> {smith.name = "x", smith.role = "batch"})
    -> (tensor<1xi32> {smith.name = "o", smith.role = "output"}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<i32>) -> tensor<1xi32>
  %sum = smith.repeat @micro_batch count = 6 with(%x) carry(%zeros) : (tensor<6xi32>, tensor<1xi32>) -> tensor<1xi32>
  return %sum : tensor<1xi32>
}
func.func private @micro_batch(%i: tensor<i32>, %x: tensor<6xi32>,
    %so_far: tensor<1xi32> {smith.name = "sum.0", smith.role = "state"})
    -> (tensor<1xi32> {smith.name = "sum.0", smith.role = "state"}) {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<6xi32>, tensor<i32>) -> tensor<1xi32>
  %1 = smith.all_reduce %0 over ["x"] kind = sum : tensor<1xi32>
  %2 = stablehlo.add %so_far, %1 : tensor<1xi32>
  return %2 : tensor<1xi32>
}
