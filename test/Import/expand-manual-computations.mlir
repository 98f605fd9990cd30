// RUN: shardsmith-opt %s --expand-manual-computations --split-input-file | FileCheck %s

// Each device has its rows and its columns; the product is combined over the
// columns. What does not differ over an axis has no dimension for it.
// CHECK-LABEL: @main(
// CHECK-SAME: %[[W:.*]]: tensor<8x6xf32>, %[[X:.*]]: tensor<4x8xf32>
// CHECK: %[[W1:.*]] = stablehlo.reshape %[[W]] : (tensor<8x6xf32>) -> tensor<2x4x6xf32>
// CHECK: %[[W2:.*]] = sdy.sharding_constraint %[[W1]] <@m, [{"y"}, {?}, {?}]>
// CHECK: %[[X1:.*]] = stablehlo.reshape %[[X]] : (tensor<4x8xf32>) -> tensor<2x2x2x4xf32>
// CHECK: %[[X2:.*]] = stablehlo.transpose %[[X1]], dims = [0, 2, 1, 3]
// CHECK: %[[X3:.*]] = sdy.sharding_constraint %[[X2]] <@m, [{"x"}, {"y"}, {?}, {?}]>
// CHECK: %[[W3:.*]] = stablehlo.broadcast_in_dim %[[W2]], dims = [1, 2, 3] : (tensor<2x4x6xf32>) -> tensor<2x2x4x6xf32>
// CHECK: %[[P:.*]] = stablehlo.dot_general %[[X3]], %[[W3]], batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2]
// CHECK: %[[S:.*]] = stablehlo.reduce(%[[P]] init: %{{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<2x2x2x6xf32>, tensor<f32>) -> tensor<2x2x6xf32>
// CHECK: %[[R:.*]] = stablehlo.reshape %[[S]] : (tensor<2x2x6xf32>) -> tensor<4x6xf32>
// CHECK: %[[C:.*]] = sdy.sharding_constraint %[[R]] <@m, [{"x"}, {}]>
// CHECK: return %[[C]]
sdy.mesh @m = <["x"=2, "y"=2]>
func.func public @main(%w: tensor<8x6xf32>, %x: tensor<4x8xf32>) -> tensor<4x6xf32> {
  %0 = sdy.manual_computation(%w, %x) in_shardings=[<@m, [{"y"}, {}]>, <@m, [{"x"}, {"y"}]>]
      out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x", "y"} (%a: tensor<4x6xf32>, %b: tensor<2x4xf32>) {
    %1 = stablehlo.dot_general %b, %a, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x6xf32>) -> tensor<2x6xf32>
    %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%c: tensor<f32>, %d: tensor<f32>):
      %3 = stablehlo.add %c, %d : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<2x6xf32>) -> tensor<2x6xf32>
    sdy.return %2 : tensor<2x6xf32>
  } : (tensor<8x6xf32>, tensor<4x8xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// A weight that is the same everywhere is not repeated. A result over which
// devices agree is that of the first; the other axis is left to the planner.
// CHECK-LABEL: @main(
// CHECK: %[[P:.*]] = stablehlo.dot_general %{{.*}}, %arg0, contracting_dims = [2] x [0] : (tensor<2x2x4xf32>, tensor<4x3xf32>) -> tensor<2x2x3xf32>
// CHECK: %[[F:.*]] = stablehlo.slice %[[P]] [0:1, 0:2, 0:3]
// CHECK: %[[R:.*]] = stablehlo.reshape %[[F]] : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
// CHECK: return %[[R]]
sdy.mesh @m = <["x"=2, "y"=2]>
func.func public @main(%w: tensor<4x3xf32>, %x: tensor<4x4xf32>) -> tensor<2x3xf32> {
  %0 = sdy.manual_computation(%w, %x) in_shardings=[<@m, [{}, {}]>, <@m, [{"x"}, {}]>]
      out_shardings=[<@m, [{}, {}]>] manual_axes={"x"} (%a: tensor<4x3xf32>, %b: tensor<2x4xf32>) {
    %1 = stablehlo.dot_general %b, %a, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    sdy.return %1 : tensor<2x3xf32>
  } : (tensor<4x3xf32>, tensor<4x4xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Groups along an axis of the mesh, by its name.
// CHECK-LABEL: @main(
// CHECK: %[[S:.*]] = stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x4xf32>
sdy.mesh @m = <["x"=2, "y"=3]>
func.func public @main(%x: tensor<24xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"x", "y"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x", "y"} (%a: tensor<4xf32>) {
    %1 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> ({
    ^bb0(%b: tensor<f32>, %c: tensor<f32>):
      %2 = stablehlo.maximum %b, %c : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<24xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Devices are counted in the order of the mesh.
// CHECK-LABEL: @main(
// CHECK: %[[I:.*]] = stablehlo.iota dim = 0 : tensor<6xui32>
// CHECK: %[[D:.*]] = stablehlo.reshape %[[I]] : (tensor<6xui32>) -> tensor<2x3xui32>
sdy.mesh @m = <["x"=2, "y"=3]>
func.func public @main() -> tensor<2x3xui32> {
  %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@m, [{"x"}, {"y"}]>] manual_axes={"x", "y"} () {
    %1 = stablehlo.partition_id : tensor<ui32>
    %2 = stablehlo.reshape %1 : (tensor<ui32>) -> tensor<1x1xui32>
    sdy.return %2 : tensor<1x1xui32>
  } : () -> tensor<2x3xui32>
  return %0 : tensor<2x3xui32>
}

// -----

// A ring of four: each takes what the one before it has, which is the last slice
// in front of the others. Where nothing comes there are zeros.
// CHECK-LABEL: func.func public @permute(
// CHECK:         %[[LAST:.*]] = stablehlo.slice %[[X:.*]] [3:4, 0:2]
// CHECK-NEXT:    %[[OTHERS:.*]] = stablehlo.slice %[[X]] [0:3, 0:2]
// CHECK-NEXT:    %[[RING:.*]] = stablehlo.concatenate %[[LAST]], %[[OTHERS]], dim = 0 : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
// CHECK:         %[[SOME:.*]] = stablehlo.slice %{{.*}} [1:3, 0:2]
// CHECK:         stablehlo.concatenate %[[SOME]], %{{.*}}, dim = 0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
// The first one's is a slice of one.
// CHECK:         %[[FIRST:.*]] = stablehlo.slice %{{.*}} [0:1, 0:2]
sdy.mesh @m = <["x"=4]>
func.func public @permute(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%a: tensor<2xf32>) {
    %1 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    %2 = "stablehlo.collective_permute"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[1, 0], [2, 1]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    %3 = "stablehlo.collective_broadcast"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    %4 = stablehlo.add %2, %3 : tensor<2xf32>
    sdy.return %4 : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The index along "x" is the same over "y", though the number of a device is
// not. Devices take different branches: both are computed, and a collective
// over "y" may be in one.
// CHECK-LABEL: @own_branches(
// CHECK: %[[ID:.*]] = stablehlo.iota dim = 0 : tensor<4xui32>
// CHECK: %[[INDEX:.*]] = stablehlo.divide
// CHECK: %[[FIRST:.*]] = stablehlo.slice %[[INDEX]] [0:2, 0:1] : (tensor<2x2xui32>) -> tensor<2x1xui32>
// CHECK: %[[ALONG:.*]] = stablehlo.reshape %[[FIRST]] : (tensor<2x1xui32>) -> tensor<2xui32>
// CHECK: %[[CHOICE:.*]] = stablehlo.convert %[[ALONG]] : (tensor<2xui32>) -> tensor<2xi32>
// CHECK: %[[SINE:.*]] = stablehlo.sine %{{.*}} : tensor<2x2x2xf32>
// CHECK: %[[SUM:.*]] = stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
// CHECK: %[[P:.*]] = stablehlo.compare EQ, %[[CHOICE]], %{{.*}} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
// CHECK: %[[WIDE:.*]] = stablehlo.broadcast_in_dim %[[SUM]], dims = [0, 2] : (tensor<2x2xf32>) -> tensor<2x2x2xf32>
// CHECK: %[[TAKEN:.*]] = stablehlo.broadcast_in_dim %[[P]], dims = [0] : (tensor<2xi1>) -> tensor<2x2x2xi1>
// CHECK: stablehlo.select %[[TAKEN]], %[[SINE]], %[[WIDE]]
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @own_branches(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"x", "y"}]>] out_shardings=[<@m, [{"x", "y"}]>] manual_axes={"x", "y"} (%a: tensor<2xf32>) {
    %two = stablehlo.constant dense<2> : tensor<ui32>
    %id = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.divide %id, %two : tensor<ui32>
    %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %4 = stablehlo.sine %a : tensor<2xf32>
      stablehlo.return %4 : tensor<2xf32>
    }, {
      %4 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%c: tensor<f32>, %d: tensor<f32>):
        %5 = stablehlo.add %c, %d : tensor<f32>
        stablehlo.return %5 : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %4 : tensor<2xf32>
    }) : (tensor<i32>) -> tensor<2xf32>
    sdy.return %3 : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// All devices take one branch, which stays one; what it returns differs if that
// of another region does.
// CHECK-LABEL: @one_branch(
// CHECK-SAME: %{{.*}}: tensor<8xf32>, %[[P:.*]]: tensor<i1>)
// CHECK: %[[X:.*]] = sdy.sharding_constraint
// CHECK: %[[R:.*]] = "stablehlo.if"(%[[P]]) ({
// CHECK:   %[[S:.*]] = stablehlo.reduce(%[[X]] init: %{{.*}}) applies stablehlo.add across dimensions = [0]
// CHECK:   %[[W:.*]] = stablehlo.broadcast_in_dim %[[S]], dims = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
// CHECK:   stablehlo.return %[[W]]
// CHECK: }, {
// CHECK:   stablehlo.return %[[X]]
// CHECK: }) : (tensor<i1>) -> tensor<4x2xf32>
// CHECK: stablehlo.reshape %[[R]] : (tensor<4x2xf32>) -> tensor<8xf32>
sdy.mesh @m = <["x"=4]>
func.func @one_branch(%x: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x, %p) in_shardings=[<@m, [{"x"}]>, <@m, []>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%a: tensor<2xf32>, %q: tensor<i1>) {
    %1 = "stablehlo.if"(%q) ({
      %2 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%c: tensor<f32>, %d: tensor<f32>):
        %3 = stablehlo.add %c, %d : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %2 : tensor<2xf32>
    }, {
      stablehlo.return %a : tensor<2xf32>
    }) : (tensor<i1>) -> tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<8xf32>, tensor<i1>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// An update at another position on every device is moved inside, then
// scattered.
// CHECK-LABEL: @update(
// CHECK: %[[AT:.*]] = stablehlo.reshape %{{.*}} : (tensor<4xi32>) -> tensor<4x1xi32>
// CHECK: %[[INSIDE:.*]] = stablehlo.clamp %{{.*}}, %[[AT]], %{{.*}} : tensor<4x1xi32>
// CHECK: "stablehlo.scatter"(%{{.*}}, %[[INSIDE]], %{{.*}}) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}>
sdy.mesh @m = <["x"=4]>
func.func @update(%x: tensor<12xf32>) -> tensor<12xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%a: tensor<3xf32>) {
    %id = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
    %2 = stablehlo.slice %a [0:2] : (tensor<3xf32>) -> tensor<2xf32>
    %3 = stablehlo.dynamic_update_slice %a, %2, %1 : (tensor<3xf32>, tensor<2xf32>, tensor<i32>) -> tensor<3xf32>
    sdy.return %3 : tensor<3xf32>
  } : (tensor<12xf32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}

// -----

// A kernel on every device for an input on every device: groups of features.
// CHECK-LABEL: @groups(
// CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) {{.*}}feature_group_count = 2{{.*}} : (tensor<1x6x8xf32>, tensor<3x4x10xf32>) -> tensor<1x4x10xf32>
// CHECK: stablehlo.reshape %{{.*}} : (tensor<1x4x10xf32>) -> tensor<1x4x2x5xf32>
sdy.mesh @m = <["x"=2]>
func.func @groups(%x: tensor<2x6x4xf32>, %w: tensor<6x4x5xf32>) -> tensor<2x4x5xf32> {
  %0 = sdy.manual_computation(%x, %w) in_shardings=[<@m, [{"x"}, {}, {}]>, <@m, [{"x"}, {}, {}]>] out_shardings=[<@m, [{"x"}, {}, {}]>] manual_axes={"x"} (%a: tensor<1x6x4xf32>, %b: tensor<3x4x5xf32>) {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x4xf32>, tensor<3x4x5xf32>) -> tensor<1x4x5xf32>
    sdy.return %1 : tensor<1x4x5xf32>
  } : (tensor<2x6x4xf32>, tensor<6x4x5xf32>) -> tensor<2x4x5xf32>
  return %0 : tensor<2x4x5xf32>
}

// -----

// A function's own derivative becomes one of what all devices have; an input
// that is the same everywhere gets the sum of what they give back.
// CHECK-LABEL: @derivative(
// CHECK: %[[X:.*]] = sdy.sharding_constraint
// CHECK: smith.with_derivative @[[WIDE:.*]] of(%[[X]], %arg1) values(%[[X]]) : (tensor<2x4xf32>, tensor<f32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: func.func private @[[WIDE]](%[[A:.*]]: tensor<2x4xf32>, %{{.*}}: tensor<f32>, %[[G:.*]]: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<f32>) {
// CHECK:   %[[P:.*]] = stablehlo.multiply %[[G]], %[[A]] : tensor<2x4xf32>
// CHECK:   %[[S:.*]] = stablehlo.reduce(%[[P]] init: %{{.*}}) applies stablehlo.add across dimensions = [1]
// CHECK:   %[[ALL:.*]] = stablehlo.reduce(%[[S]] init: %{{.*}}) applies stablehlo.add across dimensions = [0]
// CHECK:   return %[[P]], %[[ALL]]
sdy.mesh @m = <["x"=2]>
func.func @derivative(%x: tensor<8xf32>, %w: tensor<f32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x, %w) in_shardings=[<@m, [{"x"}]>, <@m, []>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%a: tensor<4xf32>, %b: tensor<f32>) {
    %1 = smith.with_derivative @vjp of(%a, %b) values(%a) : (tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @vjp(%x: tensor<4xf32>, %w: tensor<f32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %g, %x : tensor<4xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<4xf32>, tensor<f32>
}
