// RUN: shardsmith-opt %s --lower-program --emit-cpu-program | FileCheck %s
// SPDX-License-Identifier: Apache-2.0
//
// Attention is a call of the runtime; a bias that is missing is null. No buffer
// has the size of all scores: 64 × 64 × 4 bytes would be 16384.

// CHECK-LABEL: llvm.func @smith_step(
// CHECK: %[[FORWARD:.*]] = llvm.mlir.addressof @attention_0
// CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: llvm.call @smith_attention_run(%{{.*}}, %[[FORWARD]], %{{.*}}, %{{.*}}, %{{.*}}, %[[NULL]], %{{.*}}, %{{.*}})
// CHECK: %[[BACKWARD:.*]] = llvm.mlir.addressof @attention_1
// CHECK: llvm.call @smith_attention_gradient_run(%{{.*}}, %[[BACKWARD]],
func.func @main(%q: tensor<1x64x4xf32> {smith.name = "q"},
                %k: tensor<64x4xf32> {smith.name = "k"},
                %v: tensor<64x4xf32> {smith.name = "v"})
    -> (tensor<1x64x4xf32> {smith.name = "dq"}, tensor<64x4xf32> {smith.name = "dk"}, tensor<64x4xf32> {smith.name = "dv"}) {
  %o, %l = smith.attention %q, %k, %v causal scale = 0.5
      : (tensor<1x64x4xf32>, tensor<64x4xf32>, tensor<64x4xf32>) -> (tensor<1x64x4xf32>, tensor<1x64xf32>)
  %dq, %dk, %dv = smith.attention_gradient %q, %k, %v, %o, %l, %o causal scale = 0.5
      : (tensor<1x64x4xf32>, tensor<64x4xf32>, tensor<64x4xf32>, tensor<1x64x4xf32>, tensor<1x64xf32>, tensor<1x64x4xf32>)
      -> (tensor<1x64x4xf32>, tensor<64x4xf32>, tensor<64x4xf32>)
  return %dq, %dk, %dv : tensor<1x64x4xf32>, tensor<64x4xf32>, tensor<64x4xf32>
}
