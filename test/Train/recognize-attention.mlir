// RUN: shardsmith-opt %s -split-input-file --recognize-attention=least-scores=64 | FileCheck %s
// RUN: shardsmith-opt %s -split-input-file --recognize-attention=least-scores=65 | FileCheck %s --check-prefix=SHORT
// RUN: not shardsmith-opt %s -split-input-file --recognize-attention=least-scores=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// SPDX-License-Identifier: Apache-2.0
//
// SHORT-NOT: smith.attention {{[^\n]*}} scale
// NEGATIVE: option least-scores is -1: expected a number that is not negative
// Heads go before positions, and queries are a group of one head.
// CHECK-LABEL: @main
// CHECK-SAME: %[[Q:[^:]*]]: tensor<2x8x3x4xf32>
// CHECK: %[[T:.*]] = stablehlo.transpose %[[Q]], dims = [0, 2, 1, 3]
// CHECK: %[[G:.*]] = stablehlo.reshape %[[T]] : (tensor<2x3x8x4xf32>) -> tensor<2x3x1x8x4xf32>
// CHECK: %[[O:.*]], %{{.*}} = smith.attention %[[G]], %{{.*}}, %{{.*}} causal scale = 5.000000e-01
// CHECK: stablehlo.reshape %[[O]]
// CHECK-NOT: exponential
func.func public @main(
    %q: tensor<2x8x3x4xf32> {smith.name = "q", smith.role = "param"},
    %k: tensor<2x8x3x4xf32> {smith.name = "k", smith.role = "param"},
    %v: tensor<2x8x3x4xf32> {smith.name = "v", smith.role = "param"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x8xf32>
  %half = stablehlo.constant dense<0.5> : tensor<2x3x8x8xf32>
  %h = stablehlo.multiply %s, %half : tensor<2x3x8x8xf32>
  %i = stablehlo.iota dim = 0 : tensor<8x8xi32>
  %j = stablehlo.iota dim = 1 : tensor<8x8xi32>
  %below = stablehlo.compare GE, %i, %j, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
  %seen = stablehlo.broadcast_in_dim %below, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<2x3x8x8xi1>
  %far = stablehlo.constant dense<-1.0e9> : tensor<2x3x8x8xf32>
  %z = stablehlo.select %seen, %h, %far : tensor<2x3x8x8xi1>, tensor<2x3x8x8xf32>
  %pm = stablehlo.reduce(%z init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pb = stablehlo.broadcast_in_dim %pm, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %px = stablehlo.subtract %z, %pb : tensor<2x3x8x8xf32>
  %pe = stablehlo.exponential %px : tensor<2x3x8x8xf32>
  %ps = stablehlo.reduce(%pe init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pt = stablehlo.broadcast_in_dim %ps, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = stablehlo.divide %pe, %pt : tensor<2x3x8x8xf32>
  %y = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x8x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Keys that come before the query are hidden: no causal mask, but a bias.
// CHECK-LABEL: @main
// CHECK: %[[B:.*]] = stablehlo.select %{{.*}} : tensor<8x8xi1>, tensor<8x8xf32>
// CHECK: %[[R:.*]] = stablehlo.reshape %[[B]] : (tensor<8x8xf32>) -> tensor<1x1x1x8x8xf32>
// CHECK: smith.attention %{{.*}} bias %[[R]] scale = 1.000000e+00
func.func public @main(
    %q: tensor<2x8x3x4xf32> {smith.name = "q", smith.role = "param"},
    %k: tensor<2x8x3x4xf32> {smith.name = "k", smith.role = "param"},
    %v: tensor<2x8x3x4xf32> {smith.name = "v", smith.role = "param"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x8xf32>
  %i = stablehlo.iota dim = 0 : tensor<8x8xi32>
  %j = stablehlo.iota dim = 1 : tensor<8x8xi32>
  %below = stablehlo.compare LE, %i, %j, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
  %seen = stablehlo.broadcast_in_dim %below, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<2x3x8x8xi1>
  %far = stablehlo.constant dense<-1.0e30> : tensor<2x3x8x8xf32>
  %z = stablehlo.select %seen, %s, %far : tensor<2x3x8x8xi1>, tensor<2x3x8x8xf32>
  %pm = stablehlo.reduce(%z init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pb = stablehlo.broadcast_in_dim %pm, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %px = stablehlo.subtract %z, %pb : tensor<2x3x8x8xf32>
  %pe = stablehlo.exponential %px : tensor<2x3x8x8xf32>
  %ps = stablehlo.reduce(%pe init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pt = stablehlo.broadcast_in_dim %ps, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = stablehlo.divide %pe, %pt : tensor<2x3x8x8xf32>
  %y = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x8x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A query that does not see its own position: the same.
// CHECK-LABEL: @main
// CHECK: %[[B:.*]] = stablehlo.select %{{.*}} : tensor<8x8xi1>, tensor<8x8xf32>
// CHECK: %[[R:.*]] = stablehlo.reshape %[[B]] : (tensor<8x8xf32>) -> tensor<1x1x1x8x8xf32>
// CHECK: smith.attention %{{.*}} bias %[[R]] scale = 1.000000e+00
func.func public @main(
    %q: tensor<2x8x3x4xf32> {smith.name = "q", smith.role = "param"},
    %k: tensor<2x8x3x4xf32> {smith.name = "k", smith.role = "param"},
    %v: tensor<2x8x3x4xf32> {smith.name = "v", smith.role = "param"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x8xf32>
  %i = stablehlo.iota dim = 0 : tensor<8x8xi32>
  %j = stablehlo.iota dim = 1 : tensor<8x8xi32>
  %below = stablehlo.compare GT, %i, %j, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
  %seen = stablehlo.broadcast_in_dim %below, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<2x3x8x8xi1>
  %far = stablehlo.constant dense<-1.0e30> : tensor<2x3x8x8xf32>
  %z = stablehlo.select %seen, %s, %far : tensor<2x3x8x8xi1>, tensor<2x3x8x8xf32>
  %pm = stablehlo.reduce(%z init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pb = stablehlo.broadcast_in_dim %pm, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %px = stablehlo.subtract %z, %pb : tensor<2x3x8x8xf32>
  %pe = stablehlo.exponential %px : tensor<2x3x8x8xf32>
  %ps = stablehlo.reduce(%pe init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pt = stablehlo.broadcast_in_dim %ps, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = stablehlo.divide %pe, %pt : tensor<2x3x8x8xf32>
  %y = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x8x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Where all keys are hidden, scores that are not much smaller than 1e9 count.
// CHECK-LABEL: @main
// CHECK-NOT: smith.attention
// CHECK: return
func.func public @main(
    %q: tensor<2x8x3x4xf32> {smith.name = "q", smith.role = "param"},
    %k: tensor<2x8x3x4xf32> {smith.name = "k", smith.role = "param"},
    %v: tensor<2x8x3x4xf32> {smith.name = "v", smith.role = "param"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x8xf32>
  %i = stablehlo.iota dim = 0 : tensor<8x8xi32>
  %j = stablehlo.iota dim = 1 : tensor<8x8xi32>
  %below = stablehlo.compare LE, %i, %j, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
  %seen = stablehlo.broadcast_in_dim %below, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<2x3x8x8xi1>
  %far = stablehlo.constant dense<-1.0e9> : tensor<2x3x8x8xf32>
  %z = stablehlo.select %seen, %s, %far : tensor<2x3x8x8xi1>, tensor<2x3x8x8xf32>
  %pm = stablehlo.reduce(%z init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pb = stablehlo.broadcast_in_dim %pm, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %px = stablehlo.subtract %z, %pb : tensor<2x3x8x8xf32>
  %pe = stablehlo.exponential %px : tensor<2x3x8x8xf32>
  %ps = stablehlo.reduce(%pe init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pt = stablehlo.broadcast_in_dim %ps, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = stablehlo.divide %pe, %pt : tensor<2x3x8x8xf32>
  %y = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x8x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Hidden where the comparison holds; a bias of the batch stays small.
// CHECK-LABEL: @main
// CHECK-SAME: %[[PAD:[^:]*]]: tensor<2x8xf32>
// CHECK: %[[B:.*]] = stablehlo.reshape %[[PAD]] : (tensor<2x8xf32>) -> tensor<2x1x1x1x8xf32>
// CHECK: stablehlo.broadcast_in_dim %[[B]], {{.*}} -> tensor<2x1x1x8x8xf32>
// CHECK: smith.attention
func.func public @main(
    %q: tensor<2x8x3x4xf32> {smith.name = "q", smith.role = "param"},
    %k: tensor<2x8x3x4xf32> {smith.name = "k", smith.role = "param"},
    %v: tensor<2x8x3x4xf32> {smith.name = "v", smith.role = "param"},
    %pad: tensor<2x8xf32> {smith.name = "pad", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x8xf32>
  %padding = stablehlo.broadcast_in_dim %pad, dims = [0, 3] : (tensor<2x8xf32>) -> tensor<2x3x8x8xf32>
  %a = stablehlo.add %s, %padding : tensor<2x3x8x8xf32>
  %i = stablehlo.iota dim = 0 : tensor<8x8xi32>
  %j = stablehlo.iota dim = 1 : tensor<8x8xi32>
  %below = stablehlo.compare LT, %i, %j, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
  %seen = stablehlo.broadcast_in_dim %below, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<2x3x8x8xi1>
  %far = stablehlo.constant dense<0xFF800000> : tensor<2x3x8x8xf32>
  %z = stablehlo.select %seen, %far, %a : tensor<2x3x8x8xi1>, tensor<2x3x8x8xf32>
  %pm = stablehlo.reduce(%z init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pb = stablehlo.broadcast_in_dim %pm, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %px = stablehlo.subtract %z, %pb : tensor<2x3x8x8xf32>
  %pe = stablehlo.exponential %px : tensor<2x3x8x8xf32>
  %ps = stablehlo.reduce(%pe init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pt = stablehlo.broadcast_in_dim %ps, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = stablehlo.divide %pe, %pt : tensor<2x3x8x8xf32>
  %y = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x8x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A bias that is learned has a gradient.
// CHECK-LABEL: @main
// CHECK-NOT: smith.attention
// CHECK: return
func.func public @main(
    %q: tensor<2x8x3x4xf32> {smith.name = "q", smith.role = "param"},
    %k: tensor<2x8x3x4xf32> {smith.name = "k", smith.role = "param"},
    %v: tensor<2x8x3x4xf32> {smith.name = "v", smith.role = "param"},
    %b: tensor<8x8xf32> {smith.name = "b", smith.role = "param"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x8xf32>
  %bias = stablehlo.broadcast_in_dim %b, dims = [2, 3] : (tensor<8x8xf32>) -> tensor<2x3x8x8xf32>
  %z = stablehlo.add %s, %bias : tensor<2x3x8x8xf32>
  %pm = stablehlo.reduce(%z init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pb = stablehlo.broadcast_in_dim %pm, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %px = stablehlo.subtract %z, %pb : tensor<2x3x8x8xf32>
  %pe = stablehlo.exponential %px : tensor<2x3x8x8xf32>
  %ps = stablehlo.reduce(%pe init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pt = stablehlo.broadcast_in_dim %ps, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = stablehlo.divide %pe, %pt : tensor<2x3x8x8xf32>
  %y = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x8x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Dropout.
// CHECK-LABEL: @main
// CHECK-NOT: smith.attention
// CHECK: return
func.func public @main(
    %q: tensor<2x8x3x4xf32> {smith.name = "q", smith.role = "param"},
    %k: tensor<2x8x3x4xf32> {smith.name = "k", smith.role = "param"},
    %v: tensor<2x8x3x4xf32> {smith.name = "v", smith.role = "param"},
    %kept: tensor<2x3x8x8xf32> {smith.name = "kept", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x8xf32>
  %pm = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pb = stablehlo.broadcast_in_dim %pm, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %px = stablehlo.subtract %s, %pb : tensor<2x3x8x8xf32>
  %pe = stablehlo.exponential %px : tensor<2x3x8x8xf32>
  %ps = stablehlo.reduce(%pe init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pt = stablehlo.broadcast_in_dim %ps, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = stablehlo.divide %pe, %pt : tensor<2x3x8x8xf32>
  %d = stablehlo.multiply %p, %kept : tensor<2x3x8x8xf32>
  %y = stablehlo.dot_general %d, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x8x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Probabilities that somebody else reads.
// CHECK-LABEL: @main
// CHECK-NOT: smith.attention
// CHECK: return
func.func public @main(
    %q: tensor<2x8x3x4xf32> {smith.name = "q", smith.role = "param"},
    %k: tensor<2x8x3x4xf32> {smith.name = "k", smith.role = "param"},
    %v: tensor<2x8x3x4xf32> {smith.name = "v", smith.role = "param"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}, tensor<2x3x8x8xf32> {smith.name = "p", smith.role = "output"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x8xf32>
  %pm = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pb = stablehlo.broadcast_in_dim %pm, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %px = stablehlo.subtract %s, %pb : tensor<2x3x8x8xf32>
  %pe = stablehlo.exponential %px : tensor<2x3x8x8xf32>
  %ps = stablehlo.reduce(%pe init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pt = stablehlo.broadcast_in_dim %ps, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = stablehlo.divide %pe, %pt : tensor<2x3x8x8xf32>
  %y = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x8x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss, %p : tensor<f32>, tensor<2x3x8x8xf32>
}

// -----

// The sum is that of other dimensions.
// CHECK-LABEL: @main
// CHECK-NOT: smith.attention
// CHECK: return
func.func public @main(
    %q: tensor<2x8x3x4xf32> {smith.name = "q", smith.role = "param"},
    %k: tensor<2x8x3x4xf32> {smith.name = "k", smith.role = "param"},
    %v: tensor<2x8x3x4xf32> {smith.name = "v", smith.role = "param"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x8xf32>
  %pm = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pb = stablehlo.broadcast_in_dim %pm, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %px = stablehlo.subtract %s, %pb : tensor<2x3x8x8xf32>
  %pe = stablehlo.exponential %px : tensor<2x3x8x8xf32>
  %ps = stablehlo.reduce(%pe init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pt = stablehlo.broadcast_in_dim %ps, dims = [0, 1, 3] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = stablehlo.divide %pe, %pt : tensor<2x3x8x8xf32>
  %y = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x8x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

sdy.mesh @mesh = <["data"=2, "tensor"=3]>

// The plan's marks go along.
// CHECK-LABEL: @main
// CHECK: smith.attention {{.*}} {smith.factor_axes = #smith.factor_axes<[{"data"}, {"tensor"}, {}, {}, {}, {}, {}]>, smith.recompute = "none", smith.stage = 1 : i64, smith.unit = 3 : i64}
// CHECK: stablehlo.reshape {{.*}}sdy.sharding = {{.*}}<@mesh, [{"data"}, {"tensor"}, {}, {}]>
func.func public @main(
    %q: tensor<2x8x3x4xf32> {smith.name = "q", smith.role = "param"},
    %k: tensor<2x8x3x4xf32> {smith.name = "k", smith.role = "param"},
    %v: tensor<2x8x3x4xf32> {smith.name = "v", smith.role = "param"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"tensor"}, {}, {}]>]>, smith.factor_axes = #smith.factor_axes<[{"data"}, {"tensor"}, {}, {}, {}]>, smith.unit = 3 : i64, smith.stage = 1 : i64, smith.recompute = "selective"} : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x8xf32>
  %pm = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pb = stablehlo.broadcast_in_dim %pm, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %px = stablehlo.subtract %s, %pb : tensor<2x3x8x8xf32>
  %pe = stablehlo.exponential %px : tensor<2x3x8x8xf32>
  %ps = stablehlo.reduce(%pe init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pt = stablehlo.broadcast_in_dim %ps, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = stablehlo.divide %pe, %pt : tensor<2x3x8x8xf32>
  %y = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"tensor"}, {}, {}]>]>, smith.factor_axes = #smith.factor_axes<[{"data"}, {"tensor"}, {}, {}, {}]>, smith.unit = 3 : i64, smith.stage = 1 : i64, smith.recompute = "selective"} : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x8x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

sdy.mesh @mesh = <["data"=2, "tensor"=3]>

// Queries are split: keys and values would be sums over them.
// CHECK-LABEL: @main
// CHECK-NOT: smith.attention
// CHECK: return
func.func public @main(
    %q: tensor<2x8x3x4xf32> {smith.name = "q", smith.role = "param"},
    %k: tensor<2x8x3x4xf32> {smith.name = "k", smith.role = "param"},
    %v: tensor<2x8x3x4xf32> {smith.name = "v", smith.role = "param"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"data"}, {}]>]>, smith.factor_axes = #smith.factor_axes<[{}, {}, {"data"}, {}, {}]>, smith.unit = 3 : i64, smith.stage = 1 : i64, smith.recompute = "selective"} : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x8xf32>
  %pm = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pb = stablehlo.broadcast_in_dim %pm, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %px = stablehlo.subtract %s, %pb : tensor<2x3x8x8xf32>
  %pe = stablehlo.exponential %px : tensor<2x3x8x8xf32>
  %ps = stablehlo.reduce(%pe init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pt = stablehlo.broadcast_in_dim %ps, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = stablehlo.divide %pe, %pt : tensor<2x3x8x8xf32>
  %y = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"data"}, {}]>]>, smith.factor_axes = #smith.factor_axes<[{}, {}, {"data"}, {}, {}]>, smith.unit = 3 : i64, smith.stage = 1 : i64, smith.recompute = "selective"} : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x8x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

sdy.mesh @mesh = <["data"=2, "tensor"=3]>

// Of values over other axes there is none.
// CHECK-LABEL: @main
// CHECK-NOT: smith.attention
// CHECK: return
func.func public @main(
    %q: tensor<2x8x3x4xf32> {smith.name = "q", smith.role = "param"},
    %k: tensor<2x8x3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}, {}]>, smith.name = "k", smith.role = "param"},
    %v: tensor<2x8x3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"tensor"}, {}, {}]>, smith.name = "v", smith.role = "param"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"data"}, {}]>]>, smith.factor_axes = #smith.factor_axes<[{}, {}, {"data"}, {}, {}]>, smith.unit = 3 : i64, smith.stage = 1 : i64, smith.recompute = "selective"} : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x8xf32>
  %pm = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pb = stablehlo.broadcast_in_dim %pm, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %px = stablehlo.subtract %s, %pb : tensor<2x3x8x8xf32>
  %pe = stablehlo.exponential %px : tensor<2x3x8x8xf32>
  %ps = stablehlo.reduce(%pe init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pt = stablehlo.broadcast_in_dim %ps, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = stablehlo.divide %pe, %pt : tensor<2x3x8x8xf32>
  %y = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"data"}, {}]>]>, smith.factor_axes = #smith.factor_axes<[{}, {}, {"data"}, {}, {}]>, smith.unit = 3 : i64, smith.stage = 1 : i64, smith.recompute = "selective"} : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x8x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

sdy.mesh @mesh = <["data"=2, "tensor"=3]>

// Keys and values are kept in the same parts: a ring, however few scores it has.
// CHECK-LABEL: @main
// CHECK: smith.attention {{.*}} ring scale = 1.000000e+00 {smith.factor_axes = #smith.factor_axes<[{}, {}, {}, {"data"}, {}, {}]>, smith.recompute = "none", smith.stage = 1 : i64, smith.unit = 3 : i64}
// CHECK: return
// SHORT: smith.attention {{.*}} ring scale
func.func public @main(
    %q: tensor<2x8x3x4xf32> {smith.name = "q", smith.role = "param"},
    %k: tensor<2x8x3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}, {}]>, smith.name = "k", smith.role = "param"},
    %v: tensor<2x8x3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}, {}]>, smith.name = "v", smith.role = "param"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"data"}, {}]>]>, smith.factor_axes = #smith.factor_axes<[{}, {}, {"data"}, {}, {}]>, smith.unit = 3 : i64, smith.stage = 1 : i64, smith.recompute = "selective"} : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x8xf32>
  %pm = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pb = stablehlo.broadcast_in_dim %pm, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %px = stablehlo.subtract %s, %pb : tensor<2x3x8x8xf32>
  %pe = stablehlo.exponential %px : tensor<2x3x8x8xf32>
  %ps = stablehlo.reduce(%pe init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %pt = stablehlo.broadcast_in_dim %ps, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = stablehlo.divide %pe, %pt : tensor<2x3x8x8xf32>
  %y = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"data"}, {}]>]>, smith.factor_axes = #smith.factor_axes<[{}, {}, {"data"}, {}, {}]>, smith.unit = 3 : i64, smith.stage = 1 : i64, smith.recompute = "selective"} : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x8x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
