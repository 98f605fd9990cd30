// RUN: shardsmith-opt %s --lower-program --emit-cpu-program | FileCheck %s
// SPDX-License-Identifier: Apache-2.0
//
// Steps of a ring are calls of the runtime, and what they take in from earlier
// steps is null in the first one. A message goes to the group of its axes.

sdy.mesh @mesh = <["a"=2, "b"=2]>

// CHECK-LABEL: llvm.func @smith_step(
// CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: %[[NULL1:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: %[[NULL2:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: llvm.call @smith_partial_attention_run({{.*}}, %[[NULL]], %[[NULL1]], %[[NULL2]], %{{.*}}, %{{.*}})
// CHECK: %[[TABLE:.*]] = llvm.mlir.addressof @permutation_0
// CHECK: %[[GROUP:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.call @smith_collective_permute(%{{.*}}, %[[GROUP]], %[[TABLE]],
// CHECK: llvm.call @smith_partial_attention_gradient_run(
func.func @main(%q: tensor<1x64x4xf32> {smith.name = "q"},
                %k: tensor<64x4xf32> {smith.name = "k"})
    -> (tensor<1x64x4xf32> {smith.name = "dq"}, tensor<64x4xf32> {smith.name = "dk"}, tensor<64x4xf32> {smith.name = "dv"}) {
  %i = smith.shard_index over ["b"] : tensor<i32>
  %o, %l = smith.partial_attention %q, %k, %k at %i, %i of 128 causal scale = 0.5
      : (tensor<1x64x4xf32>, tensor<64x4xf32>, tensor<64x4xf32>, tensor<i32>, tensor<i32>) -> (tensor<1x64x4xf32>, tensor<1x64xf32>)
  %k1 = smith.collective_permute %k over ["b"] pairs = [[0, 1], [1, 0], [2, 3], [3, 2]] : tensor<64x4xf32>
  %dq, %dk, %dv = smith.partial_attention_gradient %q, %k1, %k1, %o, %l, %o at %i, %i of 128 causal scale = 0.5
      : (tensor<1x64x4xf32>, tensor<64x4xf32>, tensor<64x4xf32>, tensor<1x64x4xf32>, tensor<1x64xf32>, tensor<1x64x4xf32>, tensor<i32>, tensor<i32>)
      -> (tensor<1x64x4xf32>, tensor<64x4xf32>, tensor<64x4xf32>)
  return %dq, %dk, %dv : tensor<1x64x4xf32>, tensor<64x4xf32>, tensor<64x4xf32>
}
