// RUN: shardsmith-interpret %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0
//
// On whole tensors shardings change nothing.

sdy.mesh @mesh = <["x"=2]>

// CHECK: shardy.mlir: completed
// CHECK-NEXT: result0: 4xi32 = 0, 2, 4, 6
func.func public @main() -> tensor<4xi32> {
  %x = stablehlo.iota dim = 0 : tensor<4xi32>
  %0 = sdy.sharding_constraint %x <@mesh, [{"x"}]> : tensor<4xi32>
  %1 = sdy.all_gather [{"x"}] %0 out_sharding=<@mesh, [{}]> : tensor<4xi32>
  %2 = sdy.reshard %1 <@mesh, [{"x"}]> : tensor<4xi32>
  %3 = sdy.named_computation<"twice">(%2) (%arg: tensor<4xi32>) {
    %sum = stablehlo.add %arg, %arg : tensor<4xi32>
    sdy.return %sum : tensor<4xi32>
  } : (tensor<4xi32>) -> tensor<4xi32>
  return %3 : tensor<4xi32>
}
