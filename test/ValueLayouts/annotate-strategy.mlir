// RUN: shardsmith-opt --annotate-strategy --split-input-file %s | FileCheck %s

// A product split by columns, one split by rows. The terms of the second are
// added up into a layout by positions, which the element-wise op behind it
// keeps; the loss is whole on every rank. The plan is gone afterwards.

// CHECK-LABEL: module @columns_then_rows {
// CHECK: sdy.mesh @mesh = <["data"=2, "tensor"=2]>
// CHECK: func.func @main(
// CHECK-SAME: %[[UP:.*]]: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"tensor"}]>, smith.name = "up"
// CHECK-SAME: %[[DOWN:.*]]: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"tensor"}, {}]>, smith.name = "down"
// CHECK-SAME: %[[X:.*]]: tensor<8x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>, smith.name = "x"
// CHECK: stablehlo.dot_general %[[X]], %[[UP]]
// CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"tensor"}]>]>
// CHECK-SAME: smith.factor_axes = #smith.factor_axes<[{"data"}, {}, {"tensor"}, {}]>
// CHECK-SAME: smith.recompute = "none"
// CHECK-SAME: smith.stage = 0
// CHECK: stablehlo.tanh
// CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"tensor"}]>]>
// CHECK-SAME: smith.factor_axes = #smith.factor_axes<[{"data"}, {}, {"tensor"}]>
// CHECK: stablehlo.dot_general {{.*}}, %[[DOWN]]
// CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"tensor"}, {}]>]>
// CHECK-SAME: smith.factor_axes = #smith.factor_axes<[{"data"}, {}, {}, {"tensor"}]>
// CHECK: stablehlo.multiply
// CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"tensor"}, {}]>]>
// CHECK: stablehlo.reduce
// CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>
// CHECK-SAME: smith.factor_axes = #smith.factor_axes<[{"data"}, {"tensor"}, {}]>
module @columns_then_rows attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 1, data = 2, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 0, group = 0},
    micro_batch = 4, schedule = "1f1b",
    stages = [{units = [0, 1], recompute = [["none", 1]], pool = 0}],
    layouts = [{
      block = "block",
      ops = [{op = "up", split = "n64"}, {op = "tanh", split = "n64"},
             {op = "down", split = "n64"}, {op = "reduce", split = "n16"}],
      tensors = [{tensor = "x", layout = "whole"},
                 {tensor = "up.out", layout = 2},
                 {tensor = "tanh.out", layout = 2},
                 {tensor = "down.out", layout = 1},
                 {tensor = "reduce.out", layout = "whole"}],
      parameters = [
        {names = ["up"], shape = [32, 64], axes = [[], ["tensor"]]},
        {names = ["down"], shape = [64, 32], axes = [["tensor"], []]}]}]}}
} {
  func.func @main(
      %up: tensor<32x64xf32> {smith.role = "param", smith.name = "up"},
      %down: tensor<64x32xf32> {smith.role = "param", smith.name = "down"},
      %x: tensor<8x16x32xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %up, contracting_dims = [2] x [0]
        : (tensor<8x16x32xf32>, tensor<32x64xf32>) -> tensor<8x16x64xf32>
    %1 = stablehlo.tanh %0 : tensor<8x16x64xf32>
    %2 = stablehlo.dot_general %1, %down, contracting_dims = [2] x [0]
        : (tensor<8x16x64xf32>, tensor<64x32xf32>) -> tensor<8x16x32xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<8x16x32xf32>
    %loss = stablehlo.reduce(%3 init: %zero) applies stablehlo.add
        across dimensions = [0, 1, 2]
        : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Distant axes come first in the mesh, so here the tensor axis does: the order
// of the devices is the plan's. An axis of one rank is left out. What splits no
// factor is done by every rank.

// CHECK-LABEL: module @other_order {
// CHECK: sdy.mesh @mesh = <["tensor"=2, "data"=4]>
// CHECK: %[[W:.*]]: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>
// CHECK-SAME: tensor<8x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>
// CHECK: stablehlo.dot_general {{.*}}, %[[W]]
// CHECK-SAME: smith.factor_axes = #smith.factor_axes<[{"data"}, {}, {}, {}]>
// CHECK-SAME: smith.recompute = "full"
module @other_order attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 1, data = 4, pipeline = 1,
               virtual_stages = 1, expert = 1},
    device_order = ["pipeline", "data", "context", "tensor"],
    context_method = "ring", zero = {stage = 0, group = 0},
    micro_batch = 2, schedule = "1f1b",
    stages = [{units = [0, 1], recompute = [["full", 1]], pool = 0}],
    layouts = [{
      block = "block",
      ops = [{op = "w"}, {op = "reduce"}],
      tensors = [{tensor = "x", layout = "whole"},
                 {tensor = "w.out", layout = "whole"},
                 {tensor = "reduce.out", layout = "whole"}],
      parameters = [
        {names = ["w"], shape = [32, 32], axes = [[], []]}]}]}}
} {
  func.func @main(
      %w: tensor<32x32xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<8x16x32xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0]
        : (tensor<8x16x32xf32>, tensor<32x32xf32>) -> tensor<8x16x32xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1, 2]
        : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Units of a chain lie on stages, each with its own recomputation; what feeds
// no unit but a constant has neither. Layers that are called are annotated once
// and have their marks on the calls.

// CHECK-LABEL: module @stages {
// CHECK: sdy.mesh @mesh = <["pipeline"=2, "tensor"=2]>
// CHECK: stablehlo.dot_general
// CHECK-SAME: smith.recompute = "none", smith.stage = 0
// CHECK: call @layer(
// CHECK-SAME: smith.recompute = "selective", smith.stage = 0
// CHECK: call @layer(
// CHECK-SAME: smith.recompute = "full", smith.stage = 1
// CHECK: call @layer(
// CHECK-SAME: smith.recompute = "none", smith.stage = 1
// CHECK: stablehlo.reduce
// CHECK-SAME: smith.recompute = "none", smith.stage = 1
// CHECK: func.func private @layer(
// CHECK-SAME: %{{.*}}: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}
// CHECK-SAME: %{{.*}}: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"tensor"}, {}]>}
// CHECK: stablehlo.dot_general
// CHECK-NOT: smith.stage
// CHECK: stablehlo.tanh
// CHECK-NOT: smith.recompute
// CHECK: return
module @stages attributes {
  smith.plan = {strategy = {
    degrees = {tensor = 2, context = 1, data = 1, pipeline = 2,
               virtual_stages = 1, expert = 1},
    device_order = ["tensor", "context", "data", "pipeline"],
    context_method = "ring", zero = {stage = 0, group = 0},
    micro_batch = 1, schedule = "1f1b",
    stages = [
      {units = [0, 2], recompute = [["none", 1], ["selective", 1]], pool = 0},
      {units = [2, 5], recompute = [["full", 1], ["none", 2]], pool = 0}],
    layouts = [
      {block = "block",
       ops = [{op = "w"}],
       tensors = [{tensor = "x", layout = "whole"},
                  {tensor = "w.out", layout = "whole"}],
       parameters = [{names = ["w"], shape = [8, 8], axes = [[], []]}]},
      {block = "layer",
       ops = [{op = "l.*", split = "n8_2"}, {op = "tanh"}],
       tensors = [{tensor = "x", layout = "whole"},
                  {tensor = "l.*.out", layout = "whole"},
                  {tensor = "tanh.out", layout = "whole"}],
       parameters = [
         {names = ["l.*"], shape = [8, 8], axes = [["tensor"], []]}]},
      {block = "block",
       ops = [{op = "reduce"}],
       tensors = [{tensor = "x", layout = "whole"},
                  {tensor = "reduce.out", layout = "whole"}],
       parameters = []}]}}
} {
  func.func @main(
      %w: tensor<8x8xf32> {smith.role = "param", smith.name = "w"},
      %l0: tensor<8x8xf32> {smith.role = "param", smith.name = "l.0"},
      %l1: tensor<8x8xf32> {smith.role = "param", smith.name = "l.1"},
      %l2: tensor<8x8xf32> {smith.role = "param", smith.name = "l.2"},
      %x: tensor<4x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = call @layer(%0, %l0)
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %2 = call @layer(%1, %l1)
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %3 = call @layer(%2, %l2)
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%3 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>)
      -> tensor<4x8xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.tanh %0 : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}
