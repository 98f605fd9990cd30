// RUN: shardsmith-opt %s --insert-reshards --reshards-to-collectives --global-to-local | FileCheck %s
// SPDX-License-Identifier: Apache-2.0
//
// A permute is over the axes along which a shard moves, so that nobody else
// waits for it. "data" stays where it is.

sdy.mesh @mesh = <["data"=2, "context"=2, "tensor"=2, "one"=1]>

// CHECK-LABEL: @swapped
func.func @swapped(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "context"}, {"tensor"}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "tensor"}, {"context"}]>}) {
  // CHECK-NEXT: smith.collective_permute %arg0 over ["context", "tensor"] pairs = {{\[\[}}0, 0], [1, 2], [2, 1], [3, 3], [4, 4], [5, 6], [6, 5], [7, 7]] : tensor<2x4xf32>
  return %0 : tensor<8x8xf32>
}

// The axis that is used before or after alone takes part as well.
// CHECK-LABEL: @replaced
func.func @replaced(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"context"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"tensor"}, {}]>}) {
  // CHECK-NEXT: smith.collective_permute %arg0 over ["context", "tensor"] pairs
  return %0 : tensor<8x8xf32>
}

// Shards of one device move nowhere.
// CHECK-LABEL: @of_one_device
func.func @of_one_device(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "one"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"one", "data"}, {}]>}) {
  // CHECK-NEXT: return %arg0
  return %0 : tensor<8x8xf32>
}
