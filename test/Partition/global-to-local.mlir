// RUN: shardsmith-opt %s --insert-reshards --reshards-to-collectives --global-to-local | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=3]>

// CHECK-LABEL: @types
// CHECK-SAME: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>, smith.global_shape = array<i64: 8, 6>}
// CHECK-SAME: -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>, smith.global_shape = array<i64: 8, 6>})
func.func @types(%0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  // CHECK: %[[I:.*]] = smith.shard_index over ["y"] : tensor<i32>
  // CHECK: %[[T:.*]] = stablehlo.tanh %arg0 : tensor<4x6xf32>
  // CHECK: %[[O:.*]] = stablehlo.multiply %[[I]]
  // CHECK: %[[S:.*]] = stablehlo.dynamic_slice %[[T]], %{{.*}}, %[[O]], sizes = [4, 2]
  // CHECK: return %[[S]] : tensor<4x2xf32>
  %1 = stablehlo.tanh %0 : tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}

// Seven rows in three shards of three: gathered as nine, cropped to seven.
// CHECK-LABEL: @uneven_gather
// CHECK-SAME: tensor<3xf32>
func.func @uneven_gather(%0: tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<7xf32> {
  // CHECK-NEXT: %[[G:.*]] = smith.all_gather %arg0 over ["y"] dim = 0 : tensor<3xf32> -> tensor<9xf32>
  // CHECK-NEXT: %[[C:.*]] = stablehlo.slice %[[G]] [0:7]
  // CHECK-NEXT: return %[[C]]
  return %0 : tensor<7xf32>
}

// CHECK-LABEL: @uneven_scatter
func.func @uneven_scatter(%0: tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>})
    -> (tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  // CHECK: %[[P:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [0], high = [2], interior = [0]
  // CHECK-NEXT: smith.reduce_scatter %[[P]] over ["y"] dim = 0 kind = sum : tensor<9xf32> -> tensor<3xf32>
  return %0 : tensor<7xf32>
}

// CHECK-LABEL: @permute
func.func @permute(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}) {
  // CHECK-NEXT: smith.collective_permute %arg0 over ["x", "y"] pairs = {{\[\[}}0, 0], [1, 3], [2, 1], [3, 4], [4, 2], [5, 5]] : tensor<2x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: @all_to_all
func.func @all_to_all(%0: tensor<6x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<6x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  // CHECK: %[[P:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [0, 0], high = [0, 2]
  // CHECK-NEXT: smith.all_to_all %[[P]] over ["y"] split_dim = 1 concat_dim = 0 : tensor<2x9xf32> -> tensor<6x3xf32>
  return %0 : tensor<6x7xf32>
}

// The contracted dimension has padding: both operands are masked, because
// zero times NaN is NaN.
// CHECK-LABEL: @masked_product
func.func @masked_product(%0: tensor<4x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
                          %1: tensor<7x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) {
  // CHECK: stablehlo.iota dim = 1 : tensor<4x3xi32>
  // CHECK: %[[IN:.*]] = stablehlo.compare LT
  // CHECK: %[[L:.*]] = stablehlo.select %[[IN]], %arg0
  // CHECK: stablehlo.iota dim = 0 : tensor<3x4xi32>
  // CHECK: %[[R:.*]] = stablehlo.select %{{.*}}, %arg1
  // CHECK: stablehlo.dot_general %[[L]], %[[R]]
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<4x7xf32>, tensor<7x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// Padding must not win a maximum; the initial value may count on every shard
// only where it is neutral.
// CHECK-LABEL: @masked_maximum
func.func @masked_maximum(%0: tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %init: tensor<f32>) -> tensor<f32> {
  // CHECK-DAG: %[[I:.*]] = smith.shard_index over ["y"]
  // CHECK: %[[LOW:.*]] = stablehlo.constant dense<0xFF800000> : tensor<3xf32>
  // CHECK: %[[X:.*]] = stablehlo.select %{{.*}}, %arg0, %[[LOW]]
  // CHECK: %[[FIRST:.*]] = stablehlo.compare EQ, %[[I]]
  // CHECK: %[[N:.*]] = stablehlo.select %[[FIRST]], %arg1
  // CHECK: %[[M:.*]] = stablehlo.reduce(%[[X]] init: %[[N]]) applies stablehlo.maximum
  // CHECK: smith.all_reduce %[[M]] over ["y"] kind = max
  %1 = stablehlo.reduce(%0 init: %init) applies stablehlo.maximum across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// CHECK-LABEL: @generated
func.func @generated() -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>},
                           tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>},
                           tensor<6xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  // CHECK-DAG: stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
  // CHECK-DAG: %[[C:.*]] = stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00]> : tensor<6xf32>
  // CHECK-DAG: stablehlo.dynamic_slice %[[C]], %{{.*}}, sizes = [2]
  // CHECK-DAG: %[[I:.*]] = stablehlo.iota dim = 0 : tensor<2xi32>
  // CHECK-DAG: %[[S:.*]] = stablehlo.add %[[I]], %{{.*}} : tensor<2xi32>
  // CHECK-DAG: stablehlo.convert %[[S]] : (tensor<2xi32>) -> tensor<2xbf16>
  %0 = stablehlo.constant dense<1.0> : tensor<6xf32>
  %1 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %2 = stablehlo.iota dim = 0 : tensor<6xbf16>
  return %0, %1, %2 : tensor<6xf32>, tensor<6xf32>, tensor<6xbf16>
}

// Rows of other shards answer zero; the answers add up.
// CHECK-LABEL: @look_up
func.func @look_up(%table: tensor<7x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %rows: tensor<5x1xi32>)
    -> (tensor<5x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) {
  // CHECK: %[[CLAMPED:.*]] = stablehlo.clamp
  // CHECK: %[[LOCAL:.*]] = stablehlo.subtract %[[CLAMPED]]
  // CHECK: stablehlo.compare LT, %[[LOCAL]]
  // CHECK: stablehlo.compare GE, %[[LOCAL]]
  // CHECK: %[[IN:.*]] = stablehlo.and
  // CHECK: %[[G:.*]] = "stablehlo.gather"(%arg0, %[[LOCAL]])
  // CHECK: %[[MASK:.*]] = stablehlo.broadcast_in_dim
  // CHECK: stablehlo.select %[[MASK]], %[[G]]
  %0 = "stablehlo.gather"(%table, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<7x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// Only one shard starts from the input; padding adds nothing.
// CHECK-LABEL: @accumulate
func.func @accumulate(%input: tensor<7x4xf32>, %rows: tensor<5x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                      %updates: tensor<5x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<7x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  // CHECK: %[[START:.*]] = stablehlo.select %{{.*}}, %arg0
  // CHECK: %[[UPDATES:.*]] = stablehlo.select %{{.*}}, %arg2
  // CHECK: "stablehlo.scatter"(%[[START]], %arg1, %[[UPDATES]])
  %0 = "stablehlo.scatter"(%input, %rows, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<7x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<7x4xf32>
  return %0 : tensor<7x4xf32>
}

// Whole dimensions are listed with their local size.
// CHECK-LABEL: @slices
func.func @slices(%0: tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>) {
  // CHECK: stablehlo.slice %arg0 [0:4, 2:5] : (tensor<4x9xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.slice %0 [0:8, 2:5] : (tensor<8x9xf32>) -> tensor<8x3xf32>
  // CHECK: stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [4, 3] : (tensor<4x9xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
  %2 = stablehlo.dynamic_slice %0, %i, %i, sizes = [8, 3] : (tensor<8x9xf32>, tensor<i32>, tensor<i32>) -> tensor<8x3xf32>
  return
}

// CHECK-LABEL: @make_partial
func.func @make_partial(%0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  // CHECK: %[[I:.*]] = smith.shard_index over ["x"]
  // CHECK: %[[F:.*]] = stablehlo.compare EQ, %[[I]]
  // CHECK: stablehlo.select %[[F]], %arg0
  return %0 : tensor<8xf32>
}
