// RUN: shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-cores.json fix=tp=4" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: sed -E 's/smith.plan = .*[}] [{]$/PLAN {/' %t.mlir | FileCheck %s --check-prefix=GRAPH
// RUN: shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-cores.json fix=pp=2,vpp=1,tp=2,schedule=gpipe,mbs=16" | FileCheck %s --check-prefix=GPIPE
// RUN: shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-cores.json fix=pp=4,schedule=zb-v" | FileCheck %s --check-prefix=ZBV
// RUN: shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-cores.json fix=pp=2,vpp=1,dp=2,schedule=1f1b,zero=2,mbs=8,recompute=full,order=pp-tp-cp-dp" | FileCheck %s --check-prefix=ORDER
// RUN: shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-cores.json fix=pp=2..4,tp=..1" | FileCheck %s --check-prefix=RANGE
// RUN: shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-cores.json forbid=tp,pp" | FileCheck %s --check-prefix=LEFT
// RUN: shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-cores.json fix=devices=1" | FileCheck %s --check-prefix=ALONE
// RUN: shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-small-cores.json margin=0.02 forbid=tp,pp" | FileCheck %s --check-prefix=SMALL
// RUN: shardsmith-opt %s --search-strategy="cluster=%S/../Commands/Inputs/two-speeds.json profile=megatron-2021-a100 fix=pp=1,dp=8,mbs=1" | FileCheck %s --check-prefix=MIXED
// RUN: shardsmith-opt %s --search-strategy="cluster=%S/Inputs/four-cores.json fix=tp=4" -o %t.again.mlir
// RUN: diff %t.mlir %t.again.mlir

// Eight layers of one product each, where all four ranks shall share products:
// the first is split by columns, so that layers take and hand on columns, and
// each layer sums over its rows. What was found is a plan that none is faster
// than. The same question has the same answer, to the letter.

// CHECK: module @deep attributes {smith.plan = {
// CHECK-SAME: bound_ns = [[STEP:[0-9]+]] : i64
// CHECK-SAME: cluster = "four cores"
// CHECK-SAME: profile = "shardsmith"
// CHECK-SAME: proof = "exact"
// CHECK-SAME: step_ns = [[STEP]] : i64
// CHECK-SAME: degrees = {context = 1 : i64, data = 1 : i64, expert = 1 : i64, pipeline = 1 : i64, tensor = 4 : i64, virtual_stages = 1 : i64}
// CHECK-SAME: {block = "block", ops = [{op = "head", split = "n512"}]
// CHECK-SAME: tensors = [{layout = "whole", tensor = "x"}, {layout = 1 : i64, tensor = "head.out"}]
// CHECK-SAME: {block = "layer", ops = [{op = "layers.*.w", split = "n512_2"}, {op = "add", split = "n512"}]
// CHECK-SAME: parameters = [{axes = {{\[}}["tensor"], []], names = ["layers.*.w"], shape = [512, 512]}]
// CHECK-SAME: {layout = 1 : i64, tensor = "x"}
// CHECK-SAME: {layout = 1 : i64, tensor = "add.out"}
// CHECK-SAME: micro_batch = 64 : i64
// CHECK-SAME: stages = [{pool = 0 : i64, recompute = {{\[}}["none", 10]], units = [0, 10]}]

// The graph itself is as it was: no mesh, no shardings.

// GRAPH: module @deep attributes {PLAN {
// GRAPH-NOT: sdy.
// GRAPH: call @layer(
// GRAPH-NOT: smith.stage
// GRAPH: func.func private @layer(%arg0: tensor<64x512xf32>, %arg1: tensor<512x512xf32>) -> tensor<64x512xf32> {

// What is given is kept: the schedule and its micro-batches. Ten units are cut
// into equal stages.

// GPIPE: degrees = {context = 1 : i64, data = 1 : i64, expert = 1 : i64, pipeline = 2 : i64, tensor = 2 : i64, virtual_stages = 1 : i64}
// GPIPE-SAME: micro_batch = 16 : i64, schedule = "gpipe"
// GPIPE-SAME: stages = [{pool = 0 : i64, recompute = {{\[}}["none", 5]], units = [0, 5]}, {pool = 0 : i64, recompute = {{\[}}["none", 5]], units = [5, 10]}]

// This family has two stages per rank, which nobody had to say, and needs at
// least 2 p - 1 = 7 micro-batches: of at most ten samples.

// ZBV: virtual_stages = 2
// ZBV-SAME: micro_batch = {{([1-9]|10)}} : i64, schedule = "zb-v"
// ZBV-SAME: units = [0, {{[0-9]+}}]
// ZBV-SAME-COUNT-6: pool = 0
// ZBV-SAME: 10]}]

// ORDER: data = 2 : i64
// ORDER-SAME: device_order = ["pipeline", "tensor", "context", "data"]
// ORDER-SAME: micro_batch = 8 : i64, schedule = "1f1b"
// ORDER-SAME: recompute = {{\[}}["full", 5]]
// ORDER-SAME: zero = {group = 0 : i64, stage = 2 : i64}

// A range leaves the choice within it.

// RANGE: pipeline = {{[234]}} : i64, tensor = 1 : i64

// Without tensor and pipeline axes the data axis is left, or one rank.

// LEFT: data = {{[124]}} : i64, expert = 1 : i64, pipeline = 1 : i64, tensor = 1 : i64

// One rank splits nothing: no op has a split.

// ALONE: data = 1 : i64, expert = 1 : i64, pipeline = 1 : i64, tensor = 1 : i64
// ALONE-NOT: split =
// ALONE: micro_batch = 64 : i64

// Where memory is short, gradients and states are split, not states alone.

// SMALL: data = 4 : i64
// SMALL-SAME: zero = {group = 0 : i64, stage = {{[23]}} : i64}

// Data ranks on two kinds of device have shares of their own.

// MIXED: profile = "megatron-2021-a100"
// MIXED-SAME: data_shares = [{micro_batches = {{[0-9]+}} : i64, pool = 0 : i64, ranks = 4 : i64}, {micro_batches = {{[0-9]+}} : i64, pool = 1 : i64, ranks = 4 : i64}]

module @deep {
  func.func @main(
      %w0: tensor<512x512xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %w1: tensor<512x512xf32> {smith.role = "param", smith.name = "layers.1.w"},
      %w2: tensor<512x512xf32> {smith.role = "param", smith.name = "layers.2.w"},
      %w3: tensor<512x512xf32> {smith.role = "param", smith.name = "layers.3.w"},
      %w4: tensor<512x512xf32> {smith.role = "param", smith.name = "layers.4.w"},
      %w5: tensor<512x512xf32> {smith.role = "param", smith.name = "layers.5.w"},
      %w6: tensor<512x512xf32> {smith.role = "param", smith.name = "layers.6.w"},
      %w7: tensor<512x512xf32> {smith.role = "param", smith.name = "layers.7.w"},
      %head: tensor<512x512xf32> {smith.role = "param", smith.name = "head"},
      %x: tensor<64x512xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %head, contracting_dims = [1] x [0]
        : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    %0 = call @layer(%first, %w0)
        : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    %1 = call @layer(%0, %w1)
        : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    %2 = call @layer(%1, %w2)
        : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    %3 = call @layer(%2, %w3)
        : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    %4 = call @layer(%3, %w4)
        : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    %5 = call @layer(%4, %w5)
        : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    %6 = call @layer(%5, %w6)
        : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    %7 = call @layer(%6, %w7)
        : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    %loss = stablehlo.reduce(%7 init: %zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (tensor<64x512xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<64x512xf32>, %w: tensor<512x512xf32>)
      -> tensor<64x512xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    %1 = stablehlo.tanh %0 : tensor<64x512xf32>
    %2 = stablehlo.add %1, %x : tensor<64x512xf32>
    return %2 : tensor<64x512xf32>
  }
}
