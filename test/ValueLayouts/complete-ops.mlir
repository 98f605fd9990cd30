// RUN: shardsmith-opt --plan="cluster=%S/Inputs/slow-devices.json fix=data=8" %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: shardsmith-opt --partition %t.mlir | FileCheck %s --check-prefix=LOCAL
// RUN: shardsmith-opt --plan="cluster=%S/Inputs/slow-devices.json fix=tensor=8" %s | FileCheck %s --check-prefix=TENSOR

// Kernels are slow here and links fast, so that whatever can be split is. Ops of
// all sorts over samples: an op's axes go to the factor that counts samples, and
// what moves or compares along another dimension leaves that whole.

// CHECK: sdy.mesh @mesh = <["data"=8]>
// CHECK: func.func @main(
// CHECK-SAME: %[[TABLE:.*]]: tensor<48x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>
// CHECK-SAME: %[[ODD:.*]]: tensor<7x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>
// CHECK-SAME: tensor<8x12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>, smith.name = "tokens"
// CHECK: "stablehlo.gather"(%[[TABLE]]
// CHECK-SAME: smith.factor_axes<[{"data"}, {}, {}, {}, {}]>

// An iota has a sharding and no axes: the partitioner makes it in every layout.

// CHECK: stablehlo.iota dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>} :
// CHECK: stablehlo.add
// CHECK-SAME: smith.factor_axes<[{"data"}, {}, {}]>
// CHECK: stablehlo.dot_general {{.*}}, %[[ODD]]
// CHECK-SAME: <@mesh, [{"data"}, {}, {}]>
// CHECK-SAME: smith.factor_axes<[{"data"}, {}, {}, {}]>
// CHECK: stablehlo.pad
// CHECK-SAME: smith.factor_axes<[{"data"}, {}, {}]>
// CHECK: "stablehlo.sort"
// CHECK: }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>, smith.factor_axes = #smith.factor_axes<[{"data"}, {}, {}, {}]>}
// CHECK: stablehlo.slice
// CHECK-SAME: <@mesh, [{"data"}, {}, {}]>

// The loss is a partial sum on every device, and is added up where it leaves.

// CHECK: stablehlo.reduce
// CHECK-SAME: <@mesh, [], unreduced={"data"}>
// CHECK-SAME: smith.factor_axes<[{"data"}, {}, {}]>

// Rows of the gradient may be anyone's, so channels are split in its place: all
// devices see all samples' updates of their channels. A product may sum over
// samples instead, and its sums are combined for the update, part by part.

// CHECK: "stablehlo.scatter"
// CHECK: }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"data"}]>]>, smith.factor_axes = #smith.factor_axes<[{}, {}, {}, {}, {"data"}]>}
// CHECK: stablehlo.subtract %[[TABLE]]
// CHECK-SAME: smith.factor_axes<[{}, {"data"}]>
// CHECK: stablehlo.dot_general {{.*}} contracting_dims = [0, 1] x [0, 1]
// CHECK-SAME: <@mesh, [{}, {}], unreduced={"data"}>
// CHECK: stablehlo.subtract %[[ODD]]
// CHECK-SAME: smith.factor_axes<[{}, {"data"}]>

// LOCAL: func.func @main(
// LOCAL: "stablehlo.gather"{{.*}} -> tensor<1x12x16xf32>
// LOCAL: smith.all_reduce {{.*}} kind = sum : tensor<f32>
// LOCAL: smith.reduce_scatter {{.*}} -> tensor<7x2xf32>
// LOCAL: smith.all_gather {{.*}} -> tensor<7x16xf32>

// An axis called tensor does not split samples of the batch itself; sixteen
// channels it can split, seven rows not.

// TENSOR: sdy.mesh @mesh = <["tensor"=8]>
// TENSOR: tensor<8x12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>, smith.name = "tokens"
// TENSOR: tensor<7x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {{.*}}]>, smith.name = "odd"

func.func @main(
    %table: tensor<48x16xf32> {smith.role = "param", smith.name = "table"},
    %odd: tensor<7x16xf32> {smith.role = "param", smith.name = "odd"},
    %tokens: tensor<8x12xi32> {smith.role = "batch", smith.name = "tokens"})
    -> (tensor<48x16xf32> {smith.role = "param", smith.name = "table"},
        tensor<7x16xf32> {smith.role = "param", smith.name = "odd"},
        tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %step = stablehlo.constant dense<0.1> : tensor<48x16xf32>
  %at = stablehlo.reshape %tokens : (tensor<8x12xi32>) -> tensor<8x12x1xi32>
  %x = "stablehlo.gather"(%table, %at) <{
      dimension_numbers = #stablehlo.gather<offset_dims = [2],
          collapsed_slice_dims = [0], start_index_map = [0],
          index_vector_dim = 2>,
      indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}>
      : (tensor<48x16xf32>, tensor<8x12x1xi32>) -> tensor<8x12x16xf32>
  %places = stablehlo.iota dim = 1 : tensor<8x12x16xf32>
  %moved = stablehlo.add %x, %places : tensor<8x12x16xf32>
  %y = stablehlo.dot_general %moved, %odd, contracting_dims = [2] x [1]
      : (tensor<8x12x16xf32>, tensor<7x16xf32>) -> tensor<8x12x7xf32>
  %padded = stablehlo.pad %y, %zero, low = [0, 1, 0], high = [0, 0, 0],
      interior = [0, 0, 0]
      : (tensor<8x12x7xf32>, tensor<f32>) -> tensor<8x13x7xf32>
  %sorted = "stablehlo.sort"(%padded) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b, FLOAT
        : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<8x13x7xf32>) -> tensor<8x13x7xf32>
  %best = stablehlo.slice %sorted [0:8, 12:13, 0:7]
      : (tensor<8x13x7xf32>) -> tensor<8x1x7xf32>
  %loss = stablehlo.reduce(%best init: %zero) applies stablehlo.add
      across dimensions = [0, 1, 2]
      : (tensor<8x1x7xf32>, tensor<f32>) -> tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<48x16xf32>
  %g = "stablehlo.scatter"(%zeros, %at, %moved) <{
      indices_are_sorted = false,
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2],
          inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
          index_vector_dim = 2>,
      unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<48x16xf32>, tensor<8x12x1xi32>, tensor<8x12x16xf32>)
      -> tensor<48x16xf32>
  %scaled = stablehlo.multiply %g, %step : tensor<48x16xf32>
  %new = stablehlo.subtract %table, %scaled : tensor<48x16xf32>
  %h = stablehlo.dot_general %y, %moved, contracting_dims = [0, 1] x [0, 1]
      : (tensor<8x12x7xf32>, tensor<8x12x16xf32>) -> tensor<7x16xf32>
  %newOdd = stablehlo.subtract %odd, %h : tensor<7x16xf32>
  return %new, %newOdd, %loss : tensor<48x16xf32>, tensor<7x16xf32>, tensor<f32>
}
