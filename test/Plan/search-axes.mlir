// RUN: split-file %s %t
// RUN: shardsmith-opt %t/attention.mlir --search-strategy="cluster=%S/Inputs/four-cores.json fix=tp=4 forbid=sp" | FileCheck %s --check-prefix=HEADS
// RUN: shardsmith-opt %t/attention.mlir --search-strategy="cluster=%S/Inputs/four-cores.json fix=cp=2,tp=2,context-method=ring,recompute=selective" | FileCheck %s --check-prefix=RING
// RUN: shardsmith-opt %t/attention.mlir --search-strategy="cluster=%S/Inputs/four-cores.json fix=cp=4,context-method=all-to-all" | FileCheck %s --check-prefix=ALL
// RUN: shardsmith-opt %t/experts.mlir --search-strategy="cluster=%S/Inputs/four-cores.json fix=ep=4,dp=4" | FileCheck %s --check-prefix=EXPERT
// RUN: shardsmith-opt %t/experts.mlir --search-strategy="cluster=%S/Inputs/four-cores.json fix=ep=2,dp=2,cp=2" | FileCheck %s --check-prefix=BESIDE
// RUN: not shardsmith-opt %t/experts.mlir --search-strategy="cluster=%S/Inputs/four-cores.json fix=ep=8" 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: shardsmith-opt %t/experts.mlir --search-strategy="cluster=%S/Inputs/four-cores.json fix=ep=2,dp=4" --annotate-strategy | FileCheck %s --check-prefix=MESH

// Four heads over four ranks: products make and read heads, attention works on
// one each, and the sum over heads is added up. Without sequence parallelism
// what comes behind it is whole.

// HEADS: ops = [{op = "wq", split = "n4"}, {op = "wk", split = "n4"}, {op = "wv", split = "n4"}, {op = "attention", split = "kv"}, {op = "wo", split = "n4"}, {op = "reduce"}]
// HEADS-SAME: {axes = {{\[}}[], ["tensor"], []], names = ["wq"], shape = [32, 4, 8]}
// HEADS-SAME: {axes = {{\[}}["tensor"], [], []], names = ["wo"], shape = [4, 8, 32]}
// HEADS-SAME: {layout = 2 : i64, tensor = "wq.out"}
// HEADS-SAME: {layout = 1 : i64, tensor = "attention.out"}
// HEADS-SAME: {layout = "whole", tensor = "wo.out"}

// The context axis is beside the tensor axis, which splits heads; the context
// axis' split of positions is no matter of a block's layout.

// RING: context_method = "ring"
// RING-SAME: degrees = {context = 2 : i64, data = 1 : i64, expert = 1 : i64, pipeline = 1 : i64, tensor = 2 : i64
// RING-SAME: {op = "attention", split = "kv"}
// RING-SAME: recompute = {{\[}}["selective", 1]]

// ALL: context_method = "all-to-all"
// ALL-SAME: degrees = {context = 4 : i64
// ALL-NOT: split =
// ALL: micro_batch = 4 : i64

// Each rank has one expert. All else of the parameters is on every rank, and the
// router, which is no expert's, as well.

// EXPERT: data = 4 : i64, expert = 4 : i64
// EXPERT-SAME: ops = [{op = "table"}, {op = "router"}, {op = "gather"}, {op = "experts"}, {op = "gather"}, {op = "multiply"}, {op = "scatter"}, {op = "reduce"}]
// EXPERT-SAME: {axes = {{\[}}[], []], names = ["table"], shape = [32, 8]}
// EXPERT-SAME: {axes = {{\[}}[], []], names = ["router"], shape = [8, 4]}
// EXPERT-SAME: {axes = {{\[}}["expert"], [], []], names = ["experts"], shape = [4, 8, 8]}

// Ranks that share experts are a part of data × context.

// BESIDE: degrees = {context = 2 : i64, data = 2 : i64, expert = 2 : i64
// MANY: error: what was given leaves no plan for 4 devices; there are plans without the value of expert

// MESH: sdy.mesh @mesh = <["data"=2, "expert"=2]>
// MESH: tensor<4x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>, smith.name = "experts"

//--- attention.mlir
module @attention {
  func.func @main(
      %wq: tensor<32x4x8xf32> {smith.role = "param", smith.name = "wq"},
      %wk: tensor<32x4x8xf32> {smith.role = "param", smith.name = "wk"},
      %wv: tensor<32x4x8xf32> {smith.role = "param", smith.name = "wv"},
      %wo: tensor<4x8x32xf32> {smith.role = "param", smith.name = "wo"},
      %x: tensor<4x16x32xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<4x4x16x16xf32>
    %q = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0]
        : (tensor<4x16x32xf32>, tensor<32x4x8xf32>) -> tensor<4x16x4x8xf32>
    %k = stablehlo.dot_general %x, %wk, contracting_dims = [2] x [0]
        : (tensor<4x16x32xf32>, tensor<32x4x8xf32>) -> tensor<4x16x4x8xf32>
    %v = stablehlo.dot_general %x, %wv, contracting_dims = [2] x [0]
        : (tensor<4x16x32xf32>, tensor<32x4x8xf32>) -> tensor<4x16x4x8xf32>
    %dots = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2],
        contracting_dims = [3] x [3]
        : (tensor<4x16x4x8xf32>, tensor<4x16x4x8xf32>) -> tensor<4x4x16x16xf32>
    %rows = stablehlo.iota dim = 0 : tensor<16x16xi32>
    %columns = stablehlo.iota dim = 1 : tensor<16x16xi32>
    %seen = stablehlo.compare GE, %rows, %columns, SIGNED
        : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %mask = stablehlo.broadcast_in_dim %seen, dims = [2, 3]
        : (tensor<16x16xi1>) -> tensor<4x4x16x16xi1>
    %masked = stablehlo.select %mask, %dots, %low
        : tensor<4x4x16x16xi1>, tensor<4x4x16x16xf32>
    %most = stablehlo.reduce(%masked init: %least) applies stablehlo.maximum
        across dimensions = [3]
        : (tensor<4x4x16x16xf32>, tensor<f32>) -> tensor<4x4x16xf32>
    %mosts = stablehlo.broadcast_in_dim %most, dims = [0, 1, 2]
        : (tensor<4x4x16xf32>) -> tensor<4x4x16x16xf32>
    %shifted = stablehlo.subtract %masked, %mosts : tensor<4x4x16x16xf32>
    %e = stablehlo.exponential %shifted : tensor<4x4x16x16xf32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add
        across dimensions = [3]
        : (tensor<4x4x16x16xf32>, tensor<f32>) -> tensor<4x4x16xf32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1, 2]
        : (tensor<4x4x16xf32>) -> tensor<4x4x16x16xf32>
    %p = stablehlo.divide %e, %sums : tensor<4x4x16x16xf32>
    %mixed = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2],
        contracting_dims = [3] x [1]
        : (tensor<4x4x16x16xf32>, tensor<4x16x4x8xf32>) -> tensor<4x4x16x8xf32>
    %out = stablehlo.dot_general %mixed, %wo, contracting_dims = [1, 3] x [0, 1]
        : (tensor<4x4x16x8xf32>, tensor<4x8x32xf32>) -> tensor<4x16x32xf32>
    %y = stablehlo.add %x, %out : tensor<4x16x32xf32>
    %squares = stablehlo.multiply %y, %y : tensor<4x16x32xf32>
    %loss = stablehlo.reduce(%squares init: %zero) applies stablehlo.add
        across dimensions = [0, 1, 2]
        : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- experts.mlir
module @mixture {
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
