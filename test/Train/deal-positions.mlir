// RUN: shardsmith-opt %s --split-input-file --deal-positions --cse 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// SPDX-License-Identifier: Apache-2.0

// Tokens, a slice of a table and a table of positions are taken in the other
// order; labels, which are tokens one further, are so only behind their slice.
// What is the same everywhere stays as it was.

sdy.mesh @mesh = <["data"=3, "context"=2]>

// CHECK-LABEL: func.func public @main
// CHECK-SAME: %[[E:[a-z0-9]+]]: tensor<10x4xf32>{{.*}}, %[[T:[a-z0-9]+]]: tensor<20x4xf32>{{.*}}, %[[TOKENS:[a-z0-9]+]]: tensor<3x17xi32>
// CHECK: %[[IN:.*]] = stablehlo.slice %[[TOKENS]] [0:3, 0:16]
// CHECK: %[[I:.*]] = stablehlo.iota dim = 0 : tensor<16xi32>
// CHECK: %[[RANK:.*]] = stablehlo.divide %[[I]], %{{.*}} : tensor<16xi32>
// CHECK: %[[P:.*]] = stablehlo.select %{{.*}} : tensor<16xi1>, tensor<16xi32>
// CHECK: %[[DEALT:.*]] = "stablehlo.gather"(%[[IN]], %[[P]])
// CHECK: "stablehlo.gather"(%[[E]], %{{.*}})
// CHECK: %[[SLICE:.*]] = stablehlo.slice %[[T]]
// CHECK: "stablehlo.gather"(%[[SLICE]], %[[P]])
// CHECK: smith.attention %{{.*}} causal ring zigzag = 2 scale
// CHECK: %[[OUT:.*]] = stablehlo.slice %[[TOKENS]] [0:3, 1:17]
// CHECK: "stablehlo.gather"(%[[OUT]], %[[P]])
// CHECK: %[[AT:.*]] = stablehlo.convert %[[P]] : (tensor<16xi32>) -> tensor<16xf32>
// CHECK: %[[WHERE:.*]] = stablehlo.broadcast_in_dim %[[AT]]
// CHECK: stablehlo.multiply %{{.*}}, %[[WHERE]]
func.func public @main(%embedding: tensor<10x4xf32> {smith.role = "param"},
                %table: tensor<20x4xf32> {smith.role = "param"},
                %tokens: tensor<3x17xi32> {smith.role = "batch"}) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %in = stablehlo.slice %tokens [0:3, 0:16] : (tensor<3x17xi32>) -> tensor<3x16xi32>
  %indices = stablehlo.reshape %in : (tensor<3x16xi32>) -> tensor<3x16x1xi32>
  %e = "stablehlo.gather"(%embedding, %indices) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<3x16x1xi32>) -> tensor<3x16x4xf32>
  %slice = stablehlo.slice %table [0:16, 0:4] : (tensor<20x4xf32>) -> tensor<16x4xf32>
  %t = stablehlo.broadcast_in_dim %slice, dims = [1, 2] : (tensor<16x4xf32>) -> tensor<3x16x4xf32>
  %x = stablehlo.add %e, %t : tensor<3x16x4xf32>
  %q = stablehlo.reshape %x : (tensor<3x16x4xf32>) -> tensor<3x1x16x4xf32>
  %o, %l = smith.attention %q, %x, %x causal ring scale = 0.5
      {smith.factor_axes = #smith.factor_axes<[{"data"}, {}, {"context"}, {}, {}]>}
      : (tensor<3x1x16x4xf32>, tensor<3x16x4xf32>, tensor<3x16x4xf32>) -> (tensor<3x1x16x4xf32>, tensor<3x1x16xf32>)
  %out = stablehlo.slice %tokens [0:3, 1:17] : (tensor<3x17xi32>) -> tensor<3x16xi32>
  %labels = stablehlo.convert %out : (tensor<3x16xi32>) -> tensor<3x16xf32>
  %column = stablehlo.reduce(%o init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<3x1x16x4xf32>, tensor<f32>) -> tensor<3x1x16xf32>
  %values = stablehlo.reshape %column : (tensor<3x1x16xf32>) -> tensor<3x16xf32>
  %errors = stablehlo.subtract %values, %labels : tensor<3x16xf32>
  %at = stablehlo.iota dim = 0 : tensor<16xf32>
  %where = stablehlo.broadcast_in_dim %at, dims = [1] : (tensor<16xf32>) -> tensor<3x16xf32>
  %weighted = stablehlo.multiply %errors, %where : tensor<3x16xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x16xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Positions and samples as one dimension: positions are a part of it.

sdy.mesh @mesh = <["context"=2]>

// CHECK-LABEL: func.func public @main
// CHECK: %[[I:.*]] = stablehlo.iota dim = 0 : tensor<24xi32>
// CHECK: %[[S:.*]] = stablehlo.remainder %[[I]], %{{.*}} : tensor<24xi32>
// CHECK: %[[MOVED:.*]] = stablehlo.subtract %{{.*}}, %[[S]] : tensor<24xi32>
// CHECK: "stablehlo.gather"(%arg0, %{{.*}}) {{.*}} : (tensor<24x4xf32>, tensor<24xi32>) -> tensor<24x4xf32>
// CHECK: zigzag = 2
func.func public @main(%rows: tensor<24x4xf32> {smith.role = "batch"}) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %twice = stablehlo.add %rows, %rows : tensor<24x4xf32>
  %q = stablehlo.reshape %twice : (tensor<24x4xf32>) -> tensor<3x1x8x4xf32>
  %k = stablehlo.reshape %twice : (tensor<24x4xf32>) -> tensor<3x8x4xf32>
  %o, %l = smith.attention %q, %k, %k causal ring scale = 0.5
      {smith.factor_axes = #smith.factor_axes<[{}, {}, {"context"}, {}, {}]>}
      : (tensor<3x1x8x4xf32>, tensor<3x8x4xf32>, tensor<3x8x4xf32>) -> (tensor<3x1x8x4xf32>, tensor<3x1x8xf32>)
  %loss = stablehlo.reduce(%o init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<3x1x8x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A slice along positions of what attention has made, as of logits whose last
// one predicts nothing, keeps the order.

sdy.mesh @mesh = <["context"=2]>

// REMARK: remark: positions stay in the order of the sequence: 'stablehlo.slice' at {{.*}} may depend on the order of positions
// CHECK-LABEL: func.func public @main
// CHECK-NOT: zigzag
func.func public @main(%x: tensor<8x4xf32> {smith.role = "batch"}) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %q = stablehlo.reshape %x : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
  %o, %l = smith.attention %q, %x, %x causal ring scale = 0.5
      {smith.factor_axes = #smith.factor_axes<[{}, {"context"}, {}, {}]>}
      : (tensor<1x8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> (tensor<1x8x4xf32>, tensor<1x8xf32>)
  %s = stablehlo.slice %o [0:1, 0:7, 0:4] : (tensor<1x8x4xf32>) -> tensor<1x7x4xf32>
  %loss = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x7x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// So does a range of positions, which adds up over shards, and yet has an order.

sdy.mesh @mesh = <["context"=2]>

// REMARK: remark: positions stay in the order of the sequence: 'stablehlo.dynamic_slice' at {{.*}} may depend on the order of positions
// CHECK-LABEL: func.func public @main
// CHECK-NOT: zigzag
func.func public @main(%x: tensor<8x4xf32> {smith.role = "batch"}) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %q = stablehlo.reshape %x : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
  %o, %l = smith.attention %q, %x, %x causal ring scale = 0.5
      {smith.factor_axes = #smith.factor_axes<[{}, {"context"}, {}, {}]>}
      : (tensor<1x8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> (tensor<1x8x4xf32>, tensor<1x8xf32>)
  %s = stablehlo.dynamic_slice %o, %first, %first, %first, sizes = [1, 7, 4]
      : (tensor<1x8x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x7x4xf32>
  %loss = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x7x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

sdy.mesh @mesh = <["context"=2]>

// REMARK: remark: positions stay in the order of the sequence: 10 positions are not two equal parts for each of 2 ranks
// CHECK-LABEL: func.func public @main
// CHECK-NOT: zigzag
func.func public @main(%x: tensor<10x4xf32> {smith.role = "batch"}) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %q = stablehlo.reshape %x : (tensor<10x4xf32>) -> tensor<1x10x4xf32>
  %o, %l = smith.attention %q, %x, %x causal ring scale = 0.5
      {smith.factor_axes = #smith.factor_axes<[{}, {"context"}, {}, {}]>}
      : (tensor<1x10x4xf32>, tensor<10x4xf32>, tensor<10x4xf32>) -> (tensor<1x10x4xf32>, tensor<1x10xf32>)
  %loss = stablehlo.reduce(%o init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x10x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Without a mask all ranks have as much to do.

sdy.mesh @mesh = <["context"=2]>

// CHECK-LABEL: func.func public @main
// CHECK-NOT: zigzag
func.func public @main(%x: tensor<8x4xf32> {smith.role = "batch"}) -> tensor<1x8x4xf32> {
  %q = stablehlo.reshape %x : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
  %o, %l = smith.attention %q, %x, %x ring scale = 0.5
      {smith.factor_axes = #smith.factor_axes<[{}, {"context"}, {}, {}]>}
      : (tensor<1x8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> (tensor<1x8x4xf32>, tensor<1x8xf32>)
  return %o : tensor<1x8x4xf32>
}

// -----

// Rows that name their expert have no order. How many an expert takes is counted
// in that of the sequence, whatever order rows are in.

sdy.mesh @mesh = <["context"=2]>

// CHECK-LABEL: func.func public @main
// CHECK: smith.attention %{{.*}} causal ring zigzag = 2 scale
// CHECK: smith.limit_rows %{{.*}} among = 16 capacity = 3 zigzag = 2 positions = 8 counts : tensor<3x16xi32>
// CHECK-NOT: gather
func.func public @main(%x: tensor<3x8x4xf32> {smith.role = "batch"}, %router: tensor<4x5xf32> {smith.role = "param"},
                       %w: tensor<5x4x4xf32> {smith.role = "param"}) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %twice = stablehlo.add %x, %x : tensor<3x8x4xf32>
  %q = stablehlo.reshape %twice : (tensor<3x8x4xf32>) -> tensor<3x1x8x4xf32>
  %o, %l = smith.attention %q, %twice, %twice causal ring scale = 0.5
      {smith.factor_axes = #smith.factor_axes<[{}, {}, {"context"}, {}, {}]>}
      : (tensor<3x1x8x4xf32>, tensor<3x8x4xf32>, tensor<3x8x4xf32>) -> (tensor<3x1x8x4xf32>, tensor<3x1x8xf32>)
  %flat = stablehlo.reshape %o : (tensor<3x1x8x4xf32>) -> tensor<24x4xf32>
  %scores = stablehlo.dot_general %flat, %router, contracting_dims = [1] x [0] : (tensor<24x4xf32>, tensor<4x5xf32>) -> tensor<24x5xf32>
  %best, %who = chlo.top_k(%scores, k = 2) : tensor<24x5xf32> -> (tensor<24x2xf32>, tensor<24x2xi32>)
  %numbers = stablehlo.reshape %who : (tensor<24x2xi32>) -> tensor<3x16xi32>
  %kept = smith.limit_rows %numbers among = 16 capacity = 3 counts : tensor<3x16xi32>
  %experts = stablehlo.reshape %kept : (tensor<3x16xi32>) -> tensor<48xi32>
  %each = stablehlo.broadcast_in_dim %flat, dims = [0, 2] : (tensor<24x4xf32>) -> tensor<24x2x4xf32>
  %rows = stablehlo.reshape %each : (tensor<24x2x4xf32>) -> tensor<48x4xf32>
  %made = smith.grouped_dot %rows, %experts, %w : (tensor<48x4xf32>, tensor<48xi32>, tensor<5x4x4xf32>) -> tensor<48x4xf32>
  %loss = stablehlo.reduce(%made init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<48x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// First choices before second ones: rows of a position are not neighbours.

sdy.mesh @mesh = <["context"=2]>

// REMARK: remark: positions stay in the order of the sequence: 'smith.limit_rows' at {{.*}} may depend on the order of positions
// CHECK-LABEL: func.func public @main
// CHECK-NOT: zigzag
func.func public @main(%x: tensor<3x8x4xf32> {smith.role = "batch"}, %router: tensor<4x5xf32> {smith.role = "param"}) -> tensor<3x16xi32> {
  %q = stablehlo.reshape %x : (tensor<3x8x4xf32>) -> tensor<3x1x8x4xf32>
  %o, %l = smith.attention %q, %x, %x causal ring scale = 0.5
      {smith.factor_axes = #smith.factor_axes<[{}, {}, {"context"}, {}, {}]>}
      : (tensor<3x1x8x4xf32>, tensor<3x8x4xf32>, tensor<3x8x4xf32>) -> (tensor<3x1x8x4xf32>, tensor<3x1x8xf32>)
  %flat = stablehlo.reshape %o : (tensor<3x1x8x4xf32>) -> tensor<24x4xf32>
  %scores = stablehlo.dot_general %flat, %router, contracting_dims = [1] x [0] : (tensor<24x4xf32>, tensor<4x5xf32>) -> tensor<24x5xf32>
  %best, %who = chlo.top_k(%scores, k = 2) : tensor<24x5xf32> -> (tensor<24x2xf32>, tensor<24x2xi32>)
  %bySample = stablehlo.reshape %who : (tensor<24x2xi32>) -> tensor<3x8x2xi32>
  %byChoice = stablehlo.transpose %bySample, dims = [0, 2, 1] : (tensor<3x8x2xi32>) -> tensor<3x2x8xi32>
  %numbers = stablehlo.reshape %byChoice : (tensor<3x2x8xi32>) -> tensor<3x16xi32>
  %kept = smith.limit_rows %numbers among = 16 capacity = 3 : tensor<3x16xi32>
  return %kept : tensor<3x16xi32>
}

// -----

// Rows that are still sorted by expert.

sdy.mesh @mesh = <["context"=2]>

// REMARK: remark: positions stay in the order of the sequence: 'stablehlo.sort' at {{.*}} may depend on the order of positions
// CHECK-LABEL: func.func public @main
// CHECK-NOT: zigzag
func.func public @main(%x: tensor<8x4xf32> {smith.role = "batch"}) -> tensor<8xi32> {
  %q = stablehlo.reshape %x : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
  %o, %l = smith.attention %q, %x, %x causal ring scale = 0.5
      {smith.factor_axes = #smith.factor_axes<[{}, {"context"}, {}, {}]>}
      : (tensor<1x8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> (tensor<1x8x4xf32>, tensor<1x8xf32>)
  %scores = stablehlo.reshape %o : (tensor<1x8x4xf32>) -> tensor<8x4xf32>
  %best, %who = chlo.top_k(%scores, k = 1) : tensor<8x4xf32> -> (tensor<8x1xf32>, tensor<8x1xi32>)
  %experts = stablehlo.reshape %who : (tensor<8x1xi32>) -> tensor<8xi32>
  %row = stablehlo.iota dim = 0 : tensor<8xi32>
  %sorted:2 = "stablehlo.sort"(%experts, %row) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<8xi32>, tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>)
  return %sorted#1 : tensor<8xi32>
}

// -----

// Integers that are made of activations are in the order of these, and a count
// along positions needs that of the sequence.

sdy.mesh @mesh = <["data"=1, "context"=2]>

// REMARK: remark: positions stay in the order of the sequence: 'stablehlo.reduce_window' at {{.*}} may depend on the order of positions
// CHECK-LABEL: func.func public @main
// CHECK-NOT: zigzag
func.func public @main(%table: tensor<32x8xf32> {smith.name = "table", smith.role = "param"},
    %tokens: tensor<2x16xi32> {smith.name = "tokens", smith.role = "batch"}) -> (tensor<f32> {smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %at = stablehlo.reshape %tokens : (tensor<2x16xi32>) -> tensor<2x16x1xi32>
  %x = "stablehlo.gather"(%table, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<32x8xf32>, tensor<2x16x1xi32>) -> tensor<2x16x8xf32>
  %q = stablehlo.reshape %x : (tensor<2x16x8xf32>) -> tensor<2x1x16x8xf32>
  %o, %l = smith.attention %q, %x, %x causal ring scale = 0.5 {smith.factor_axes = #smith.factor_axes<[{"data"}, {}, {"context"}, {}, {}]>} : (tensor<2x1x16x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>) -> (tensor<2x1x16x8xf32>, tensor<2x1x16xf32>)
  %h = stablehlo.reshape %o : (tensor<2x1x16x8xf32>) -> tensor<2x16x8xf32>
  %zeros = stablehlo.constant dense<0.0> : tensor<2x16x8xf32>
  %chosen = stablehlo.compare GT, %h, %zeros : (tensor<2x16x8xf32>, tensor<2x16x8xf32>) -> tensor<2x16x8xi1>
  %ones = stablehlo.convert %chosen : (tensor<2x16x8xi1>) -> tensor<2x16x8xi32>
  %count = "stablehlo.reduce_window"(%ones, %none) <{window_dimensions = array<i64: 1, 16, 1>, padding = dense<[[0, 0], [15, 0], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2x16x8xi32>, tensor<i32>) -> tensor<2x16x8xi32>
  %four = stablehlo.constant dense<4> : tensor<2x16x8xi32>
  %fits = stablehlo.compare LE, %count, %four : (tensor<2x16x8xi32>, tensor<2x16x8xi32>) -> tensor<2x16x8xi1>
  %kept = stablehlo.select %fits, %h, %zeros : tensor<2x16x8xi1>, tensor<2x16x8xf32>
  %loss = stablehlo.reduce(%kept init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x16x8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
