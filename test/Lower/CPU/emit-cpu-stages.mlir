// RUN: shardsmith-opt %s --lower-program --emit-cpu-program | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Ranks that differ along the axis of stages have programs of their own; the
// step chooses by the rank's coordinate. Messages go to the rank that differs
// along that axis alone: with "data" behind it, stages are two ranks apart.

// CHECK-LABEL: llvm.func internal @smith_step_0(
// CHECK:         %[[RANK:.*]] = llvm.call @smith_rank(%arg0)
// CHECK:         %[[STRIDE:.*]] = llvm.mlir.constant(2 : i32)
// CHECK:         %[[AT:.*]] = llvm.udiv %[[RANK]], %[[STRIDE]]
// CHECK:         %[[OWN:.*]] = llvm.urem %[[AT]],
// CHECK:         %[[STEPS:.*]] = llvm.sub %{{.*}}, %[[OWN]]
// CHECK:         %[[FAR:.*]] = llvm.mul %[[STEPS]], %[[STRIDE]]
// CHECK:         %[[PEER:.*]] = llvm.add %[[RANK]], %[[FAR]]
// CHECK:         llvm.call @smith_send(%arg0, %[[PEER]], %{{.*}}, %{{.*}})
// CHECK-LABEL: llvm.func internal @smith_step_1(
// CHECK:         llvm.call @smith_receive(%arg0,
// CHECK-LABEL: llvm.func @smith_step(%arg0: !llvm.ptr, %arg1: !llvm.ptr)
// CHECK:         llvm.icmp "eq"
// CHECK:         llvm.call @smith_step_0(%arg0, %arg1)
// CHECK:         llvm.icmp "eq"
// CHECK:         llvm.call @smith_step_1(%arg0, %arg1)

// The manifest says who holds what, and how much room messages need.
// CHECK: smith_manifest({{.*}}\22pipeline\22,\22arena_bytes\22:[128,64]}
// CHECK-SAME: \22channels\22:[{\22from\22:0,\22to\22:2,\22bytes\22:32},{\22from\22:1,\22to\22:3,\22bytes\22:32}]
// CHECK-SAME: \22offset\22:0,\22offsets\22:[0,-1]

sdy.mesh @mesh = <["pipeline"=2, "data"=2]>
func.func private @main(tensor<4xf32> {smith.name = "w", smith.role = "param"})
    -> (tensor<4xf32> {smith.name = "o", smith.role = "output"})
func.func private @rank_0(%w: tensor<4xf32> {smith.name = "w", smith.role = "param", smith.position = 0 : i64})
    -> (tensor<4xf32> {smith.name = "o", smith.role = "output", smith.position = 0 : i64})
    attributes {smith.coordinate = 0 : i64} {
  smith.send %w to 1 along "pipeline" : tensor<4xf32>
  return %w : tensor<4xf32>
}
func.func private @rank_1() -> (tensor<4xf32> {smith.name = "o", smith.role = "output", smith.position = 0 : i64})
    attributes {smith.coordinate = 1 : i64} {
  %0 = smith.receive from 0 along "pipeline" : tensor<4xf32>
  return %0 : tensor<4xf32>
}
