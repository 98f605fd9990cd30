// RUN: split-file %s %t
// RUN: not shardsmith-interpret %t/axis.mlir 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not shardsmith-interpret %t/size.mlir 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not shardsmith-interpret %t/mesh.mlir 2>&1 | FileCheck %s --check-prefix=MESH
// RUN: %exits 5 shardsmith-interpret %t/order.mlir 2>&1 | FileCheck %s --check-prefix=ORDER

// AXIS: axis.mlir":6:10): error: 'stablehlo.all_gather' op names the axis "z", which the mesh does not have
//--- axis.mlir
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main() -> (tensor<2xui32> {smith.global_shape = array<i64: 2>, sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %id = stablehlo.partition_id : tensor<ui32>
    %x = stablehlo.reshape %id : (tensor<ui32>) -> tensor<1xui32>
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "z">]>}> : (tensor<1xui32>) -> tensor<2xui32>
    return %0 : tensor<2xui32>
  }
}

// SIZE: error: 'stablehlo.all_gather' op belongs to a mesh of 2 devices, but 1 are interpreted
//--- size.mlir
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main() -> tensor<2xui32> {
    %id = stablehlo.partition_id : tensor<ui32>
    %x = stablehlo.reshape %id : (tensor<ui32>) -> tensor<1xui32>
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<1xui32>) -> tensor<2xui32>
    return %0 : tensor<2xui32>
  }
}

// MESH: error: 'stablehlo.all_gather' op names the unknown mesh @other
//--- mesh.mlir
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main() -> tensor<2xui32> {
    %id = stablehlo.partition_id : tensor<ui32>
    %x = stablehlo.reshape %id : (tensor<ui32>) -> tensor<1xui32>
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @other, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<1xui32>) -> tensor<2xui32>
    return %0 : tensor<2xui32>
  }
}

// ORDER: its mesh orders devices explicitly
//--- order.mlir
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
  func.func public @main() -> tensor<2xui32> {
    %id = stablehlo.partition_id : tensor<ui32>
    %x = stablehlo.reshape %id : (tensor<ui32>) -> tensor<1xui32>
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<1xui32>) -> tensor<2xui32>
    return %0 : tensor<2xui32>
  }
}
