// RUN: shardsmith-interpret %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0
//
// Groups along axes of the mesh: device = 3 x + y. Members of a group along
// (y, x) stand in another order than along (x, y).

module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>

  // CHECK: mesh-axes.mlir: completed
  // CHECK-NEXT: reduced: 6xui32 = 3, 5, 7, 3, 5, 7
  // CHECK-NEXT: gathered: 18xui32 = 0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 3, {{.*}}
  // CHECK-NEXT: both: 6xui32 = 0, 3, 1, 4, 2, 5
  func.func public @main()
      -> (tensor<1xui32> {smith.name = "reduced", smith.global_shape = array<i64: 6>, sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>},
          tensor<3xui32> {smith.name = "gathered", smith.global_shape = array<i64: 18>, sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>},
          tensor<6xui32> {smith.name = "both", smith.global_shape = array<i64: 6>, sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %id = stablehlo.partition_id : tensor<ui32>
    %x = stablehlo.reshape %id : (tensor<ui32>) -> tensor<1xui32>
    %reduced = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
    ^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
      %s = stablehlo.add %a, %b : tensor<ui32>
      stablehlo.return %s : tensor<ui32>
    }) : (tensor<1xui32>) -> tensor<1xui32>
    %gathered = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> : (tensor<1xui32>) -> tensor<3xui32>
    %both = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">, #stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1xui32>) -> tensor<6xui32>
    return %reduced, %gathered, %both : tensor<1xui32>, tensor<3xui32>, tensor<6xui32>
  }
}
