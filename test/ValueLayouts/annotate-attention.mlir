// RUN: shardsmith-opt --annotate-strategy %s | FileCheck %s
// RUN: sed 's/"ring"/"all-to-all"/' %s | shardsmith-opt --annotate-strategy | FileCheck %s --check-prefix=HEADS
// RUN: shardsmith-opt --annotate-strategy=for-training %s | FileCheck %s --check-prefix=TRAIN

// Heads are split by the tensor axis, positions by the context axis. With the
// ring, queries stay where they are and keys are read whole, so that scores are
// split by the positions of their queries.

// CHECK: sdy.mesh @mesh = <["data"=2, "context"=2, "tensor"=2]>
// CHECK: %[[WO:[a-z0-9]+]]: tensor<4x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"tensor"}, {}, {}]>
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"context"}, {}]>
// CHECK: %[[Q:.*]] = stablehlo.dot_general %[[X]]
// CHECK-SAME: smith.factor_axes<[{"data"}, {"context"}, {"tensor"}, {}, {}]>
// CHECK: %[[K:.*]] = stablehlo.dot_general %[[X]]
// CHECK-SAME: sdy.sharding_per_value<[<@mesh, [{"data"}, {"context"}, {"tensor"}, {}]>]>
// CHECK: %[[V:.*]] = stablehlo.dot_general %[[X]]
// CHECK: %[[DOTS:.*]] = stablehlo.dot_general %[[Q]], %[[K]]
// CHECK-SAME: sdy.sharding_per_value<[<@mesh, [{"data"}, {"tensor"}, {"context"}, {}]>]>
// CHECK-SAME: smith.factor_axes<[{"data"}, {"tensor"}, {"context"}, {}, {}]>

// The mask is no op of the workload. It is made the way the scores are split,
// on every rank for its own queries, and belongs to no stage.

// CHECK: stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"context"}, {}]>]>}
// CHECK: stablehlo.compare GE
// CHECK-SAME: {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"context"}, {}]>]>, smith.factor_axes = #smith.factor_axes<[{"context"}, {}]>}
// CHECK: stablehlo.broadcast_in_dim
// CHECK-SAME: smith.factor_axes = #smith.factor_axes<[{"data"}, {"tensor"}, {"context"}, {}]>}
// CHECK: stablehlo.select {{.*}}, %[[DOTS]]
// CHECK-SAME: smith.recompute = "selective", smith.stage = 0

// Statistics of a row are those of a query: split alike, and exact, since keys
// are whole.

// CHECK: stablehlo.reduce({{.*}}applies stablehlo.maximum
// CHECK-SAME: sdy.sharding_per_value<[<@mesh, [{"data"}, {"tensor"}, {"context"}]>]>
// CHECK-SAME: smith.factor_axes<[{"data"}, {"tensor"}, {"context"}, {}]>
// CHECK: %[[MIXED:.*]] = stablehlo.dot_general {{.*}}, %[[V]]
// CHECK-SAME: sdy.sharding_per_value<[<@mesh, [{"data"}, {"tensor"}, {"context"}, {}]>]>
// CHECK-SAME: smith.factor_axes<[{"data"}, {"tensor"}, {"context"}, {}, {}]>

// The product behind it sums over heads, whose terms the tensor axis holds;
// their sum is handed out by positions, within those of the context axis.

// CHECK: %[[OUT:.*]] = stablehlo.dot_general %[[MIXED]], %[[WO]]
// CHECK-SAME: sdy.sharding_per_value<[<@mesh, [{"data"}, {"context", "tensor"}, {}]>]>
// CHECK-SAME: smith.factor_axes<[{"data"}, {"context"}, {}, {"tensor"}, {}]>
// CHECK: stablehlo.add %[[X]], %[[OUT]]
// CHECK-SAME: smith.factor_axes<[{"data"}, {"context", "tensor"}, {}]>

// With all-to-all the context axis splits heads inside of attention, and
// sequences are whole there. The mask is then made whole.

// HEADS: %[[Q:.*]] = stablehlo.dot_general
// HEADS-SAME: sdy.sharding_per_value<[<@mesh, [{"data"}, {"context"}, {"tensor"}, {}]>]>
// HEADS: %[[K:.*]] = stablehlo.dot_general
// HEADS: stablehlo.dot_general %[[Q]], %[[K]]
// HEADS-SAME: sdy.sharding_per_value<[<@mesh, [{"data"}, {"tensor", "context"}, {}, {}]>]>
// HEADS-SAME: smith.factor_axes<[{"data"}, {"tensor", "context"}, {}, {}, {}]>
// HEADS: stablehlo.compare GE
// HEADS-SAME: sdy.sharding_per_value<[<@mesh, [{}, {}]>]>
// HEADS: stablehlo.exponential
// HEADS-SAME: smith.factor_axes<[{"data"}, {"tensor", "context"}, {}, {}]>
// HEADS: stablehlo.dot_general
// HEADS-SAME: sdy.sharding_per_value<[<@mesh, [{"data"}, {"tensor"}, {"context"}, {}]>]>
// HEADS-SAME: smith.factor_axes<[{"data"}, {"tensor", "context"}, {}, {}, {}]>

// For a train step ZeRO-1 splits states by an axis of its own. Selective
// recomputation means the ops of attention alone, and every op says its unit.
// Constants have no layout: each reader makes its own.

// TRAIN: sdy.mesh @mesh = <["zero_shard"=2, "context"=2, "tensor"=2]>
// TRAIN: stablehlo.constant dense<0xFF800000> : tensor<4x4x16x16xf32>
// TRAIN: %[[Q:.*]] = stablehlo.dot_general
// TRAIN-SAME: smith.factor_axes<[{"zero_shard"}, {"context"}, {"tensor"}, {}, {}]>
// TRAIN-SAME: smith.recompute = "none", smith.stage = 0 : i64, smith.unit = 0 : i64
// TRAIN: %[[K:.*]] = stablehlo.dot_general
// TRAIN: stablehlo.dot_general %[[Q]], %[[K]]
// TRAIN-SAME: smith.recompute = "selective", smith.stage = 0 : i64, smith.unit = 0 : i64
// TRAIN: stablehlo.iota dim = 0 : tensor<16x16xi32>
// TRAIN: stablehlo.exponential
// TRAIN-SAME: smith.recompute = "selective"
// TRAIN: = stablehlo.add
// TRAIN-SAME: smith.recompute = "none"

module @attention attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 2, data = 2, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 1, group = 0},
    micro_batch = 2, schedule = "1f1b",
    stages = [{units = [0, 1], recompute = [["selective", 1]], pool = 0}],
    layouts = [{
      block = "block",
      ops = [{op = "wq", split = "n4"}, {op = "wk", split = "n4"},
             {op = "wv", split = "n4"}, {op = "attention", split = "kv"},
             {op = "wo", split = "n4"}, {op = "reduce", split = "s"}],
      tensors = [{tensor = "x", layout = "whole"},
                 {tensor = "wq.out", layout = 2},
                 {tensor = "wk.out", layout = 2},
                 {tensor = "wv.out", layout = 2},
                 {tensor = "attention.out", layout = 1},
                 {tensor = "attention.out_2", layout = 1},
                 {tensor = "wo.out", layout = 1},
                 {tensor = "reduce.out", layout = "whole"}],
      parameters = [
        {names = ["wq"], shape = [32, 4, 8], axes = [[], ["tensor"], []]},
        {names = ["wk"], shape = [32, 4, 8], axes = [[], ["tensor"], []]},
        {names = ["wv"], shape = [32, 4, 8], axes = [[], ["tensor"], []]},
        {names = ["wo"], shape = [4, 8, 32],
         axes = [["tensor"], [], []]}]}]}}
} {
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
