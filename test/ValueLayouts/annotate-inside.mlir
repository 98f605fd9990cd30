// RUN: shardsmith-opt --annotate-strategy %s | FileCheck %s
// RUN: shardsmith-opt --annotate-strategy=for-training %s | FileCheck %s --check-prefix=OPEN
// RUN: shardsmith-opt --annotate-strategy=for-training --train=optimizer=sgd --recompute --plan=cluster=cpu:4 %s | FileCheck %s --check-prefix=STEP

// Gate and value come from one product of 2 x 12 columns, and the plan splits
// the twelve: a split inside of a dimension, which smith.parts says. No op of
// the product's kernel has a factor of twelve in its rule, so the op names it.

// CHECK: sdy.mesh @mesh = <["data"=2, "tensor"=2]>
// CHECK: func.func @main(
// CHECK-SAME: tensor<8x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>, smith.name = "up", smith.parts = [#smith.parts<dim 1: [2, 12] [{}, {"tensor"}]>]
// CHECK-SAME: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"tensor"}, {}]>, smith.name = "down", smith.role
// CHECK: %[[BOTH:.*]] = stablehlo.dot_general
// CHECK-SAME: <@mesh, [{"data"}, {}, {}]>
// CHECK-SAME: smith.factor_axes<[{"data"}, {}, {}, {}]>
// CHECK-SAME: smith.parts = {{\[}}[#smith.parts<dim 2: [2, 12] [{}, {"tensor"}]>]]
// CHECK-SAME: smith.split = "n12"

// A slice is a view: it is laid out as its reader wants it, where the split is
// one of a dimension. ZeRO-3 is no matter of a loss graph: parameters are shown
// as they are when they are used.

// CHECK: %[[GATE:.*]] = stablehlo.slice %[[BOTH]]
// CHECK-SAME: {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"tensor"}]>]>
// CHECK-NOT: smith.stage
// CHECK: %[[VALUE:.*]] = stablehlo.slice %[[BOTH]]
// CHECK: %[[WIDE:.*]] = stablehlo.logistic %[[GATE]]
// CHECK-NOT: smith.parts
// CHECK: stablehlo.multiply %[[WIDE]], %[[VALUE]]
// CHECK-SAME: <@mesh, [{"data"}, {}, {"tensor"}]>
// CHECK-SAME: smith.factor_axes<[{"data"}, {}, {"tensor"}]>
// CHECK-NOT: smith.split
// CHECK: stablehlo.dot_general
// CHECK-SAME: smith.factor_axes<[{"data"}, {}, {}, {"tensor"}]>

// For a train step the values that are split inside, and the ops that make or
// read them, stay open; they keep their marks. Parameters of ZeRO-3 may be split
// further by the axis fsdp.

// OPEN: sdy.mesh @mesh = <["fsdp"=2, "tensor"=2]>
// OPEN: func.func @main(
// OPEN-SAME: tensor<8x24xf32> {smith.name = "up", smith.role = "param"}
// OPEN-SAME: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"tensor", ?}, {?}]>, smith.name = "down"
// OPEN-SAME: tensor<4x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {}, {}]>, smith.name = "x"
// OPEN: %[[BOTH:.*]] = stablehlo.dot_general
// OPEN-SAME: contracting_dims = [2] x [0] {smith.recompute = "full", smith.stage = 0 : i64, smith.unit = 0 : i64} :
// OPEN: %[[GATE:.*]] = stablehlo.slice %[[BOTH]] [0:4, 0:16, 0:12] : (
// OPEN: stablehlo.slice %[[BOTH]] [0:4, 0:16, 12:24] : (
// OPEN: stablehlo.logistic %[[GATE]]
// OPEN-SAME: <@mesh, [{"fsdp"}, {}, {"tensor"}]>
// OPEN-SAME: smith.unit = 0

// The completion gives them layouts. What the plan has decided is as it was,
// also on the clones that are computed again before the backward pass.

// STEP: sdy.mesh @mesh = <["fsdp"=2, "tensor"=2]>
// STEP: func.func @main(
// STEP-SAME: tensor<8x24xf32> {sdy.sharding = #sdy.sharding<@mesh,
// STEP-SAME: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"tensor"
// STEP-SAME: tensor<4x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {}, {}]>
// STEP: stablehlo.dot_general
// STEP-SAME: sdy.sharding_per_value
// STEP-SAME: smith.factor_axes
// STEP: stablehlo.slice
// STEP-SAME: sdy.sharding_per_value
// STEP: stablehlo.logistic
// STEP-SAME: <@mesh, [{"fsdp"}, {}, {"tensor"}]>
// STEP: stablehlo.dot_general
// STEP-SAME: smith.factor_axes<[{"fsdp"}, {}, {}, {"tensor"}]>
// STEP: stablehlo.reduce
// STEP-SAME: <@mesh, []>
// STEP: stablehlo.dot_general
// STEP: stablehlo.logistic
// STEP-SAME: <@mesh, [{"fsdp"}, {}, {"tensor"}]>
// STEP-SAME: smith.factor_axes<[{"fsdp"}, {}, {"tensor"}]>

module @gated attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 1, data = 2, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 3, group = 0},
    micro_batch = 2, schedule = "1f1b",
    stages = [{units = [0, 1], recompute = [["full", 1]], pool = 0}],
    layouts = [{
      block = "block",
      ops = [{op = "up", split = "n12"}, {op = "multiply", split = "n12"},
             {op = "down", split = "n12"}, {op = "reduce"}],
      tensors = [{tensor = "x", layout = "whole"},
                 {tensor = "up.out", layout = 3},
                 {tensor = "multiply.out", layout = 2},
                 {tensor = "down.out", layout = "whole"},
                 {tensor = "reduce.out", layout = "whole"}],
      parameters = [
        {names = ["up"], shape = [8, 2, 12], axes = [[], [], ["tensor"]]},
        {names = ["down"], shape = [12, 8], axes = [["tensor"], []]}]}]}}
} {
  func.func @main(
      %up: tensor<8x24xf32> {smith.role = "param", smith.name = "up"},
      %down: tensor<12x8xf32> {smith.role = "param", smith.name = "down"},
      %x: tensor<4x16x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %both = stablehlo.dot_general %x, %up, contracting_dims = [2] x [0]
        : (tensor<4x16x8xf32>, tensor<8x24xf32>) -> tensor<4x16x24xf32>
    %gate = stablehlo.slice %both [0:4, 0:16, 0:12]
        : (tensor<4x16x24xf32>) -> tensor<4x16x12xf32>
    %value = stablehlo.slice %both [0:4, 0:16, 12:24]
        : (tensor<4x16x24xf32>) -> tensor<4x16x12xf32>
    %open = stablehlo.logistic %gate : tensor<4x16x12xf32>
    %gated = stablehlo.multiply %open, %value : tensor<4x16x12xf32>
    %y = stablehlo.dot_general %gated, %down, contracting_dims = [2] x [0]
        : (tensor<4x16x12xf32>, tensor<12x8xf32>) -> tensor<4x16x8xf32>
    %squares = stablehlo.multiply %y, %y : tensor<4x16x8xf32>
    %loss = stablehlo.reduce(%squares init: %zero) applies stablehlo.add
        across dimensions = [0, 1, 2]
        : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
