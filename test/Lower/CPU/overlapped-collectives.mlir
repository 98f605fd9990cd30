// RUN: shardsmith-opt %s --lower-program --emit-cpu-program | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// A large collective is ended later: the step waits for it before the first op
// that reads its result or writes over its operand, and for all at the end.

sdy.mesh @mesh = <["data"=2]>

// CHECK-LABEL: llvm.func @smith_step
// CHECK: llvm.call @smith_begin_group(%arg0)
// CHECK: llvm.call @smith_all_gather(%arg0,
// CHECK-NEXT: %[[GATHER:.*]] = llvm.call @smith_end_group_later(%arg0)
// CHECK: llvm.call @smith_gemm_run
// CHECK: llvm.call @smith_wait(%arg0, %[[GATHER]])
// CHECK: llvm.call @smith_gemm_run
// CHECK: llvm.call @smith_all_reduce(%arg0,
// CHECK-NEXT: %[[SUM:.*]] = llvm.call @smith_end_group_later(%arg0)
// CHECK-NEXT: llvm.call @smith_wait(%arg0, %[[SUM]])
// CHECK-NEXT: llvm.return
func.func @main(%x: tensor<256x256xf32> {smith.name = "x", smith.role = "batch"},
    %w: tensor<128x256xf32> {smith.name = "w", smith.role = "param"})
    -> (tensor<256x256xf32> {smith.name = "o", smith.role = "output"}) {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = smith.all_gather %w over ["data"] dim = 0 : tensor<128x256xf32> -> tensor<256x256xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %3 = smith.all_reduce %2 over ["data"] kind = sum : tensor<256x256xf32>
  return %3 : tensor<256x256xf32>
}
