// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

func.func @device_twice(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{has device 1 twice in replica_groups}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<8x4xf32>) -> tensor<16x4xf32>
  return
}

// -----

func.func @device_negative(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{has device -2 in replica_groups}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>}> : (tensor<8x4xf32>) -> tensor<16x4xf32>
  return
}

// -----

func.func @group_rank(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{needs replica_groups of rank 2, found 'tensor<2xi64>'}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<8x4xf32>) -> tensor<16x4xf32>
  return
}

// -----

func.func @global_ids(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{needs a positive channel handle with use_global_device_ids, found 0}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<8x4xf32>) -> tensor<16x4xf32>
  return
}

// -----

func.func @gather_dimension(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{has all_gather_dim 2, outside [0, 2)}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x4xf32>) -> tensor<16x4xf32>
  return
}

// -----

func.func @gather_size(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{needs dimension 0 to differ by the group size 2, found 8 and 24}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x4xf32>) -> tensor<24x4xf32>
  return
}

// -----

func.func @gather_factor(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{needs dimension 0 to differ by a whole factor, found 8 and 12}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>}> : (tensor<8x4xf32>) -> tensor<12x4xf32>
  return
}

// -----

func.func @gather_other_dimension(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{differs between operand and result in dimension 1, 4 and 5; only dimension 0 may}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x4xf32>) -> tensor<16x5xf32>
  return
}

// -----

func.func @scatter_size(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{needs dimension 0 to differ by the group size 2, found 2 and 8}}
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @reduced_type(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{needs results of the operands' types ('tensor<8x4xf32>'), found ('tensor<4x8xf32>')}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @computation(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{needs the computation to take ('tensor<f32>', 'tensor<f32>'), found ('tensor<f32>')}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @split_count(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{needs split_count to be the group size 2, found 4}}
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<8x4xf32>) -> tensor<2x16xf32>
  return
}

// -----

func.func @split_size(%x: tensor<7x4xf32>) {
  // expected-error@+1 {{needs split_count to divide dimension 0, found 2 and 7}}
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<7x4xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @exchanged_shape(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{must have result shape [4, 8], found [8, 4]}}
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @target_twice(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{has target 1 twice in source_target_pairs}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @pairs(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{needs pairs (source, target) in source_target_pairs, found 'tensor<1x3xi64>'}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @awaited(%f: !stablehlo.future<tensor<f32>>) {
  // expected-error@+1 {{needs results of the operands' types ('tensor<f32>'), found ('tensor<i32>')}}
  %0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<f32>>) -> tensor<i32>
  return
}

// -----

func.func @axis_twice(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{has axis "x" twice in replica_groups}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "x">]>}> : (tensor<8x4xf32>) -> tensor<16x4xf32>
  return
}

// -----

// However large the mesh is.
func.func @along_axes(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{needs dimension 0 to differ by a whole factor, found 8 and 12}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8x4xf32>) -> tensor<12x4xf32>
  return
}

// -----

func.func @groups_by_name(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{attribute 'replica_groups' failed to satisfy constraint: groups of devices, listed or along axes of a mesh}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = "x"}> : (tensor<8x4xf32>) -> tensor<16x4xf32>
  return
}

// -----

func.func @device_id() {
  // expected-error@+1 {{needs results of type ('tensor<ui32>'), found ('tensor<2xui32>')}}
  %0 = stablehlo.partition_id : tensor<2xui32>
  return
}

// -----

func.func @largest_device(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{has target 9223372036854775807 twice in source_target_pairs}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 9223372036854775807], [1, 9223372036854775807]]> : tensor<2x2xi64>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @largest_device_in_a_group(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{has device 9223372036854775806 twice in replica_groups}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[9223372036854775806, 9223372036854775806]]> : tensor<1x2xi64>}> : (tensor<8x4xf32>) -> tensor<16x4xf32>
  return
}
