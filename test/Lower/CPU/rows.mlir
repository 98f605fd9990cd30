// RUN: shardsmith-opt %s --lower-program --emit-cpu-program | FileCheck %s
// SPDX-License-Identifier: Apache-2.0
//
// Rows of experts are moved by the runtime. Of ranks with copies of the same
// samples, the first one counts what is dropped.

// CHECK-LABEL: llvm.func @smith_step(
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[RANK:.*]] = llvm.call @smith_rank
// CHECK: %[[COUNTS:.*]] = llvm.select %{{.*}}, %[[ONE]], %{{.*}} : i1, i32
// CHECK: llvm.call @smith_limit_rows_run(%arg0, %{{.*}}, %[[COUNTS]], %{{.*}}, %{{.*}})
// CHECK: llvm.call @smith_place_rows_run(
// CHECK: llvm.call @smith_pack_rows_run(
// CHECK: llvm.call @smith_exchange_rows(%arg0, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: llvm.call @smith_exchange_rows(
// CHECK: llvm.call @smith_unpack_rows_run(
sdy.mesh @mesh = <["expert"=2, "tensor"=2]>
func.func @main(%experts: tensor<3x4xi32> {smith.name = "experts"},
                %rows: tensor<3x4x8xf32> {smith.name = "rows"})
    -> (tensor<3x4x8xf32> {smith.name = "back"}) {
  %kept = smith.limit_rows %experts among = 16 capacity = 1 counts copies ["tensor"] : tensor<3x4xi32>
  %slots, %ends = smith.place_rows %kept count = 4 : tensor<3x4xi32> -> (tensor<3x4xi32>, tensor<2x3x2xi32>)
  %there = smith.all_to_all %ends over ["expert"] split_dim = 0 concat_dim = 1 : tensor<2x3x2xi32> -> tensor<1x6x2xi32>
  %packed = smith.pack_rows %rows, %slots : (tensor<3x4x8xf32>, tensor<3x4xi32>) -> tensor<2x3x4x8xf32>
  %0 = smith.exchange_rows %packed sends %ends receives %there over ["expert"] expected = 12 : tensor<2x3x4x8xf32>, tensor<2x3x2xi32>, tensor<1x6x2xi32> -> tensor<1x6x4x8xf32>
  %1 = smith.exchange_rows %0 sends %there receives %ends over ["expert"] expected = 12 : tensor<1x6x4x8xf32>, tensor<1x6x2xi32>, tensor<2x3x2xi32> -> tensor<2x3x4x8xf32>
  %back = smith.unpack_rows %1, %slots : (tensor<2x3x4x8xf32>, tensor<3x4xi32>) -> tensor<3x4x8xf32>
  return %back : tensor<3x4x8xf32>
}
