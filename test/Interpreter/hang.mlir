// RUN: not shardsmith-interpret %s 2>&1 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0
//
// Only device 1 takes the branch with the collective.

sdy.mesh @mesh = <["x"=2]>

// CHECK: error: 'smith.all_reduce' op would never finish: device 1 waits for device 0, which took another branch
// CHECK: hang.mlir: failed
func.func public @main()
    -> (tensor<i32> {smith.global_shape = array<i64>, sdy.sharding = #sdy.sharding<@mesh, []>}) {
  %device = smith.shard_index over ["x"] : tensor<i32>
  %result = "stablehlo.case"(%device) ({
    stablehlo.return %device : tensor<i32>
  }, {
    %sum = smith.all_reduce %device over ["x"] kind = sum : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %result : tensor<i32>
}
