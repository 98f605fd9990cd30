// RUN: shardsmith-opt %s --lower-program --emit-cpu-program | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Two sums are one message: calls between two others.
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: llvm.call @smith_begin_group(%arg0)
// CHECK: llvm.call @smith_all_reduce
// CHECK-NOT: llvm.call @smith_end_group
// CHECK: llvm.call @smith_all_reduce
// CHECK-NEXT: llvm.call @smith_end_group(%arg0)
// CHECK-NOT: llvm.call @smith_{{begin|end}}_group
sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<4xf32>, %y: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %0 = smith.all_reduce %x over ["data"] kind = sum : tensor<4xf32>
  %1 = smith.all_reduce %y over ["data"] kind = sum : tensor<8xf32>
  return %0, %1 : tensor<4xf32>, tensor<8xf32>
}
