// RUN: shardsmith-opt %s --plan-buffers | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// The program of a rank. What a function returns is written to the caller's
// buffers: entries of the table behind those of the arguments. Results of two
// micro-batches that are both alive lie apart; a received tensor that is the new
// value of a parameter is written over the old one.

// CHECK: func.func private @main
// CHECK-NOT: smith.arena_bytes

// CHECK-LABEL: func.func private @forward_0(
// CHECK-SAME:    %arg0: tensor<i32> {smith.offset = -2 : i64}, %arg1: tensor<64xf32> {smith.offset = -3 : i64})
// CHECK-SAME:    -> (tensor<64xf32> {smith.offset = -4 : i64})
// CHECK-SAME:    smith.workspace_bytes = 0 : i64
// CHECK:         smith.gemm {{.*}}smith.offsets = array<i64: -4>

// CHECK-LABEL: func.func private @rank_0(
// CHECK-SAME:    %arg0: tensor<64xf32> {smith.name = "w", smith.offset = 0 : i64
// CHECK-SAME:    smith.arena_bytes = 768 : i64
// CHECK:         smith.run @forward_0 micro_batch = 0 {{.*}} {smith.offsets = array<i64: 256>, smith.workspace =
// CHECK:         smith.run @forward_0 micro_batch = 1 {{.*}} {smith.offsets = array<i64: 512>, smith.workspace =
// CHECK:         smith.receive {{.*}} {smith.offsets = array<i64: 0>}

sdy.mesh @mesh = <["pipeline"=2]>
func.func private @main(tensor<64xf32> {smith.name = "w", smith.role = "param"})
    -> (tensor<64xf32> {smith.name = "w", smith.role = "param"})
func.func private @forward_0(%i: tensor<i32>, %w: tensor<64xf32>) -> tensor<64xf32> {
  %0 = smith.gemm %w[0, [8, 1]], %w[0, [8, 1]] batch = [] sizes = [8, 8, 8] strides = [8, 1] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
func.func private @rank_0(%w: tensor<64xf32> {smith.name = "w", smith.role = "param", smith.position = 0 : i64})
    -> (tensor<64xf32> {smith.name = "w", smith.role = "param", smith.position = 0 : i64})
    attributes {smith.coordinate = 0 : i64} {
  %0 = smith.run @forward_0 micro_batch = 0 with(%w) carry() : (tensor<64xf32>) -> tensor<64xf32>
  %1 = smith.run @forward_0 micro_batch = 1 with(%w) carry() : (tensor<64xf32>) -> tensor<64xf32>
  smith.send %0 to 1 along "pipeline" : tensor<64xf32>
  smith.send %1 to 1 along "pipeline" : tensor<64xf32>
  %new = smith.receive from 1 along "pipeline" : tensor<64xf32>
  return %new : tensor<64xf32>
}
