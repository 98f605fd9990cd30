// RUN: not shardsmith-interpret %s 2>&1 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0
//
// The result claims to be the same everywhere and is not.

sdy.mesh @mesh = <["x"=2]>

// CHECK: error: 'func.func' op result 0: devices 0 and 1 should hold the same values: 1 of 1 elements differ
// CHECK: diverging-copies.mlir: check failed
func.func public @main()
    -> (tensor<i32> {smith.global_shape = array<i64>, sdy.sharding = #sdy.sharding<@mesh, []>}) {
  %device = smith.shard_index over ["x"] : tensor<i32>
  return %device : tensor<i32>
}
