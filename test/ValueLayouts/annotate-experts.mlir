// RUN: shardsmith-opt --annotate-strategy %s | FileCheck %s

// Experts lie on a part of the data ranks, which is an axis of its own. Rows of
// tokens are split by both axes, as their tokens are; weights of experts by the
// one alone, and everything that is no expert's is on every rank.

// CHECK: sdy.mesh @mesh = <["data"=2, "expert"=2]>
// CHECK: func.func @main(
// CHECK-SAME: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>, smith.name = "router"
// CHECK-SAME: %[[EXPERTS:[a-z0-9]+]]: tensor<4x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>, smith.name = "experts"
// CHECK-SAME: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>, smith.name = "table"
// CHECK-SAME: tensor<4x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "expert"}, {}]>, smith.name = "tokens"

// The router works on tokens: so do the softmax and the choice of the best two.

// CHECK: stablehlo.dot_general
// CHECK-SAME: #sdy.sharding_per_value<[<@mesh, [{"data", "expert"}, {}]>]>
// CHECK-SAME: smith.factor_axes<[{"data", "expert"}, {}, {}]>
// CHECK: %[[BEST:.*]], %[[WHO:.*]] = chlo.top_k
// CHECK-SAME: #sdy.sharding_per_value<[<@mesh, [{"data", "expert"}, {}]>, <@mesh, [{"data", "expert"}, {}]>]>

// The order of rows and the sizes of groups are no work of the plan: every rank
// finds them for all tokens, without a stage.

// CHECK: stablehlo.reshape %[[WHO]]
// CHECK-SAME: {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, smith.factor_axes = #smith.factor_axes<[{}, {}]>}
// CHECK: "stablehlo.sort"
// CHECK: }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}]>]>
// CHECK-NOT: smith.stage
// CHECK: stablehlo.reduce
// CHECK-SAME: -> tensor<4xi32>

// Dispatch, the products of experts and the sum back: rows as their tokens. That
// a row meets the rank of its expert no factor of the rule can say, so the
// grouped product has no axes of factors.

// CHECK: %[[ROWS:.*]] = "stablehlo.gather"
// CHECK-SAME: offset_dims = [1]
// CHECK-SAME: #sdy.sharding_per_value<[<@mesh, [{"data", "expert"}, {}]>]>
// CHECK-SAME: smith.factor_axes<[{"data", "expert"}, {}, {}, {}]>
// CHECK-SAME: smith.stage = 0
// CHECK: "chlo.ragged_dot"(%[[ROWS]], %[[EXPERTS]]
// CHECK-SAME: {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data", "expert"}, {}]>]>, smith.factor_axes = #smith.factor_axes<[{}, {}, {}, {}, {}]>, smith.recompute = "none", smith.stage = 0 : i64}
// CHECK: stablehlo.reshape %[[BEST]]
// CHECK-SAME: #sdy.sharding_per_value<[<@mesh, [{"data", "expert"}]>]>
// CHECK: "stablehlo.scatter"
// CHECK: }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data", "expert"}, {}]>]>, smith.factor_axes = #smith.factor_axes<[{}, {}, {"data", "expert"}, {}]>
// CHECK: stablehlo.add
// CHECK-SAME: #sdy.sharding_per_value<[<@mesh, [{"data", "expert"}, {}, {}]>]>

module @mixture attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 1, context = 1, data = 4, pipeline = 1,
               virtual_stages = 1, expert = 2},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 0, group = 0},
    micro_batch = 1, schedule = "1f1b",
    stages = [{units = [0, 1], recompute = [["none", 1]], pool = 0}],
    layouts = [{
      block = "block",
      ops = [{op = "table"}, {op = "router"}, {op = "gather"},
             {op = "experts"}, {op = "gather"}, {op = "multiply"},
             {op = "scatter"}, {op = "reduce"}],
      tensors = [{tensor = "tokens", layout = "whole"},
                 {tensor = "table.out", layout = "whole"},
                 {tensor = "router.out", layout = "whole"},
                 {tensor = "gather.out", layout = "whole"},
                 {tensor = "experts.out", layout = "whole"},
                 {tensor = "gather.out_2", layout = "whole"},
                 {tensor = "multiply.out", layout = "whole"},
                 {tensor = "scatter.out", layout = "whole"},
                 {tensor = "reduce.out", layout = "whole"}],
      parameters = [
        {names = ["table"], shape = [32, 8], axes = [[], []]},
        {names = ["router"], shape = [8, 4], axes = [[], []]},
        {names = ["experts"], shape = [4, 8, 8],
         axes = [["expert"], [], []]}]}]}}
} {
  func.func @main(
      %router: tensor<8x4xf32> {smith.name = "router", smith.role = "param"},
      %experts: tensor<4x8x8xf32> {smith.name = "experts", smith.role = "param"},
      %table: tensor<32x8xf32> {smith.name = "table", smith.role = "param"},
      %tokens: tensor<4x16xi32> {smith.name = "tokens", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<128xi32>
    %zeros = stablehlo.constant dense<0.0> : tensor<64x8xf32>
    %at = stablehlo.reshape %tokens : (tensor<4x16xi32>) -> tensor<4x16x1xi32>
    %x = "stablehlo.gather"(%table, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<32x8xf32>, tensor<4x16x1xi32>) -> tensor<4x16x8xf32>
    %flat = stablehlo.reshape %x : (tensor<4x16x8xf32>) -> tensor<64x8xf32>
    %logits = stablehlo.dot_general %flat, %router, contracting_dims = [1] x [0] : (tensor<64x8xf32>, tensor<8x4xf32>) -> tensor<64x4xf32>
    %e = stablehlo.exponential %logits : tensor<64x4xf32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x4xf32>, tensor<f32>) -> tensor<64xf32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<64xf32>) -> tensor<64x4xf32>
    %p = stablehlo.divide %e, %sums : tensor<64x4xf32>
    %best, %who = chlo.top_k(%p, k = 2) : tensor<64x4xf32> -> (tensor<64x2xf32>, tensor<64x2xi32>)

    %expert = stablehlo.reshape %who : (tensor<64x2xi32>) -> tensor<128xi32>
    %row = stablehlo.iota dim = 0 : tensor<128xi32>
    %sorted:2 = "stablehlo.sort"(%expert, %row) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
      %less = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<128xi32>, tensor<128xi32>) -> (tensor<128xi32>, tensor<128xi32>)
    %spread = stablehlo.broadcast_in_dim %expert, dims = [0] : (tensor<128xi32>) -> tensor<128x4xi32>
    %all = stablehlo.iota dim = 1 : tensor<128x4xi32>
    %is = stablehlo.compare EQ, %spread, %all, SIGNED : (tensor<128x4xi32>, tensor<128x4xi32>) -> tensor<128x4xi1>
    %ones = stablehlo.convert %is : (tensor<128x4xi1>) -> tensor<128x4xi32>
    %sizes = stablehlo.reduce(%ones init: %none) applies stablehlo.add across dimensions = [0] : (tensor<128x4xi32>, tensor<i32>) -> tensor<4xi32>
    %token = stablehlo.divide %sorted#1, %two : tensor<128xi32>

    %index = stablehlo.reshape %token : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "stablehlo.gather"(%flat, %index) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<64x8xf32>, tensor<128x1xi32>) -> tensor<128x8xf32>
    %made = "chlo.ragged_dot"(%rows, %experts, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<128x8xf32>, tensor<4x8x8xf32>, tensor<4xi32>) -> tensor<128x8xf32>
    %flatBest = stablehlo.reshape %best : (tensor<64x2xf32>) -> tensor<128xf32>
    %order = stablehlo.reshape %sorted#1 : (tensor<128xi32>) -> tensor<128x1xi32>
    %weight = "stablehlo.gather"(%flatBest, %order) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<128xf32>, tensor<128x1xi32>) -> tensor<128xf32>
    %weights = stablehlo.broadcast_in_dim %weight, dims = [0] : (tensor<128xf32>) -> tensor<128x8xf32>
    %weighted = stablehlo.multiply %made, %weights : tensor<128x8xf32>
    %y = "stablehlo.scatter"(%zeros, %index, %weighted) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %add = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %add : tensor<f32>
    }) : (tensor<64x8xf32>, tensor<128x1xi32>, tensor<128x8xf32>) -> tensor<64x8xf32>
    %back = stablehlo.reshape %y : (tensor<64x8xf32>) -> tensor<4x16x8xf32>
    %sum2 = stablehlo.add %x, %back : tensor<4x16x8xf32>
    %loss = stablehlo.reduce(%sum2 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
