// RUN: shardsmith-opt --annotate-strategy=for-training %s | FileCheck %s
// RUN: shardsmith-opt --annotate-strategy=for-training --train=optimizer=sgd %s | FileCheck %s --check-prefix=STEP
// RUN: shardsmith-opt --annotate-strategy %s | FileCheck %s --check-prefix=GRAPH
// RUN: sed 's/zero = {stage = 2, group = 2}/zero = {stage = 3, group = 0}/' %s | shardsmith-opt --annotate-strategy=for-training | FileCheck %s --check-prefix=ALL
// RUN: sed -e 's/tensor = 2, context = 1, data = 4/tensor = 1, context = 1, data = 1/' -e 's/group = 2/group = 0/' %s | shardsmith-opt --annotate-strategy=for-training | FileCheck %s --check-prefix=ONE

// Groups of two data ranks share one copy of the optimizer state: the data axis
// falls into groups and the ranks of a group, and the batch is split by both.
// The table's rows are split by the tensor axis, as the look-up sums over them
// and as the product with the same table makes columns of them.

// CHECK: sdy.mesh @mesh = <["data"=2, "zero_shard"=2, "tensor"=2]>
// CHECK: func.func @main(
// CHECK-SAME: %[[TABLE:[a-z0-9]+]]: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"tensor"}, {}]>, smith.name = "table"
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, smith.name = "scale"
// CHECK-SAME: tensor<4x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "zero_shard"}, {}]>, smith.name = "tokens"
// CHECK: "stablehlo.gather"(%[[TABLE]]
// CHECK-SAME: <@mesh, [{"data", "zero_shard"}, {}, {}]>
// CHECK-SAME: smith.factor_axes<[{"data", "zero_shard"}, {}, {}, {"tensor"}, {}]>
// CHECK-SAME: smith.unit = 0

// A derivative of the model's own stays, without annotations: nothing is
// computed. What it stands for is read as the plan says.

// CHECK: %[[SCALED:.*]] = stablehlo.multiply
// CHECK: %[[ROUNDED:.*]] = stablehlo.round_nearest_even %[[SCALED]]
// CHECK-SAME: smith.factor_axes<[{"data", "zero_shard"}, {}, {}]>
// CHECK: %[[Y:.*]] = smith.with_derivative @straight of(%[[SCALED]]) values(%[[ROUNDED]]) : (
// CHECK: stablehlo.dot_general %[[Y]], %[[TABLE]]
// CHECK-SAME: <@mesh, [{"data", "zero_shard"}, {}, {"tensor"}]>
// CHECK-SAME: smith.factor_axes<[{"data", "zero_shard"}, {}, {"tensor"}, {}]>
// CHECK: stablehlo.reduce
// CHECK-SAME: smith.factor_axes<[{"data", "zero_shard"}, {}, {"tensor"}]>
// CHECK: func.func private @straight(

// The derivative obeys it: rounding has the derivative of the identity. Ops of
// the loss keep what the plan says; gradients and updates have nothing yet.

// STEP: sdy.mesh @mesh = <["data"=2, "zero_shard"=2, "tensor"=2]>
// STEP: func.func @main(
// STEP-SAME: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"tensor"}, {}]>, smith.name = "table", smith.role = "param"}
// STEP-NOT: smith.with_derivative
// STEP: stablehlo.round_nearest_even
// STEP-SAME: <@mesh, [{"data", "zero_shard"}, {}, {}]>
// STEP: stablehlo.reduce
// STEP-SAME: smith.unit = 0 : i64
// STEP: "stablehlo.scatter"
// STEP-NOT: smith.unit
// STEP: return
// STEP-NOT: @straight

// Without a train step to come nobody asks for derivatives, and ZeRO, which
// splits flat lists there, splits no dimension.

// GRAPH: sdy.mesh @mesh = <["data"=4, "tensor"=2]>
// GRAPH-NOT: smith.with_derivative
// GRAPH: %[[ROUNDED:.*]] = stablehlo.round_nearest_even
// GRAPH: stablehlo.dot_general %[[ROUNDED]]
// GRAPH-NOT: smith.unit
// GRAPH-NOT: @straight

// ZeRO-3 over all data ranks: parameters are open for the axis that splits them
// further, behind what the plan has said.

// ALL: sdy.mesh @mesh = <["fsdp"=4, "tensor"=2]>
// ALL: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"tensor", ?}, {?}]>, smith.name = "table"
// ALL-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>, smith.name = "scale"
// ALL-SAME: tensor<4x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {}]>, smith.name = "tokens"

// One rank has no mesh, and yet may compute things again.

// ONE-NOT: sdy.mesh
// ONE: "stablehlo.gather"
// ONE-SAME: {smith.recompute = "full", smith.stage = 0 : i64, smith.unit = 0 : i64}
// ONE-NOT: sdy.sharding

module @training attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 1, data = 4, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 2, group = 2},
    micro_batch = 1, schedule = "1f1b",
    stages = [{units = [0, 1], recompute = [["full", 1]], pool = 0}],
    layouts = [{
      block = "block",
      ops = [{op = "table", split = "n32"}, {op = "scale"},
             {op = "table", split = "n32"}, {op = "reduce", split = "n32"}],
      tensors = [{tensor = "tokens", layout = "whole"},
                 {tensor = "table.out", layout = "whole"},
                 {tensor = "scale.out", layout = "whole"},
                 {tensor = "table.out_2", layout = 2},
                 {tensor = "reduce.out", layout = "whole"}],
      parameters = [
        {names = ["table"], shape = [32, 8], axes = [["tensor"], []]},
        {names = ["scale"], shape = [8], axes = [[]]}]}]}}
} {
  func.func @main(
      %table: tensor<32x8xf32> {smith.role = "param", smith.name = "table"},
      %scale: tensor<8xf32> {smith.role = "param", smith.name = "scale"},
      %tokens: tensor<4x16xi32> {smith.role = "batch", smith.name = "tokens"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %at = stablehlo.reshape %tokens : (tensor<4x16xi32>) -> tensor<4x16x1xi32>
    %x = "stablehlo.gather"(%table, %at) <{
        dimension_numbers = #stablehlo.gather<offset_dims = [2],
            collapsed_slice_dims = [0], start_index_map = [0],
            index_vector_dim = 2>,
        indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}>
        : (tensor<32x8xf32>, tensor<4x16x1xi32>) -> tensor<4x16x8xf32>
    %scales = stablehlo.broadcast_in_dim %scale, dims = [2]
        : (tensor<8xf32>) -> tensor<4x16x8xf32>
    %scaled = stablehlo.multiply %x, %scales : tensor<4x16x8xf32>
    %rounded = stablehlo.round_nearest_even %scaled : tensor<4x16x8xf32>
    %y = smith.with_derivative @straight of(%scaled) values(%rounded)
        : (tensor<4x16x8xf32>, tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    %logits = stablehlo.dot_general %y, %table, contracting_dims = [2] x [1]
        : (tensor<4x16x8xf32>, tensor<32x8xf32>) -> tensor<4x16x32xf32>
    %squares = stablehlo.multiply %logits, %logits : tensor<4x16x32xf32>
    %loss = stablehlo.reduce(%squares init: %zero) applies stablehlo.add
        across dimensions = [0, 1, 2]
        : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @straight(%x: tensor<4x16x8xf32>, %dy: tensor<4x16x8xf32>)
      -> tensor<4x16x8xf32> {
    return %dy : tensor<4x16x8xf32>
  }
}
