// RUN: shardsmith-interpret %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0
//
// Groups by device number: partitions of one replica.

module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>

  // CHECK: stablehlo-collectives.mlir: completed
  // CHECK-NEXT: reduced: 4xui32 = 1, 1, 5, 5
  // CHECK-NEXT: gathered: 8xui32 = 0, 1, 0, 1, 2, 3, 2, 3
  // CHECK-NEXT: permuted: 4xui32 = 0, 0, 1, 2
  // CHECK-NEXT: broadcast: 4xui32 = 3, 0, 0, 3
  func.func public @main()
      -> (tensor<1xui32> {smith.name = "reduced", smith.global_shape = array<i64: 4>, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
          tensor<2xui32> {smith.name = "gathered", smith.global_shape = array<i64: 8>, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
          tensor<1xui32> {smith.name = "permuted", smith.global_shape = array<i64: 4>, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
          tensor<1xui32> {smith.name = "broadcast", smith.global_shape = array<i64: 4>, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %id = stablehlo.partition_id : tensor<ui32>
    %x = stablehlo.reshape %id : (tensor<ui32>) -> tensor<1xui32>
    %reduced = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
      %s = stablehlo.add %a, %b : tensor<ui32>
      stablehlo.return %s : tensor<ui32>
    }) : (tensor<1xui32>) -> tensor<1xui32>
    %gathered = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<1xui32>) -> tensor<2xui32>
    %permuted = "stablehlo.collective_permute"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<1xui32>) -> tensor<1xui32>
    %broadcast = "stablehlo.collective_broadcast"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, replica_groups = dense<[[3, 0]]> : tensor<1x2xi64>}> : (tensor<1xui32>) -> tensor<1xui32>
    return %reduced, %gathered, %permuted, %broadcast : tensor<1xui32>, tensor<2xui32>, tensor<1xui32>, tensor<1xui32>
  }
}
