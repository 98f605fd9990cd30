// RUN: not shardsmith-interpret %s --entry other 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not shardsmith-interpret %s 2>&1 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// ENTRY: error: has no function @other
// CHECK: error: 'func.func' op argument 0 is 'tensor<2xf32>', but its sharding gives pieces of [3]
// CHECK: bad-input.mlir: failed
sdy.mesh @mesh = <["x"=2]>
func.func public @main(%x: tensor<2xf32> {smith.global_shape = array<i64: 5>, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<2xf32> {smith.global_shape = array<i64: 5>, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return %x : tensor<2xf32>
}
