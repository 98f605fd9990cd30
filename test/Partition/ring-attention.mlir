// RUN: shardsmith-opt %s --global-to-local --cse | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Positions are split over two axes, the last of which turns fastest. Keys and
// values are passed on twice; a step takes in what the ones before have left.

sdy.mesh @mesh = <["a"=3, "b"=2]>

// CHECK-LABEL: @forward
// CHECK-SAME: %[[Q:.*]]: tensor<2x1x3x4xf32>{{.*}}, %[[K:.*]]: tensor<2x3x4xf32>
// CHECK: %[[I:.*]] = smith.shard_index over ["a"] : tensor<i32>
// CHECK: %[[HERE:.*]] = stablehlo.multiply %[[I]], %{{.*}} : tensor<i32>
// CHECK: %[[O0:.*]], %[[L0:.*]] = smith.partial_attention %[[Q]], %[[K]], %[[K]] at %[[HERE]], %[[HERE]] of 8 causal scale
// CHECK: %[[K1:.*]] = smith.collective_permute %[[K]] over ["a"] pairs = {{\[\[}}0, 2], [1, 3], [2, 4], [3, 5], [4, 0], [5, 1]] : tensor<2x3x4xf32>
// CHECK: %[[NEXT:.*]] = stablehlo.add %[[I]], %{{.*}} : tensor<i32>
// CHECK: %[[FROM:.*]] = stablehlo.remainder %[[NEXT]], %{{.*}} : tensor<i32>
// CHECK: %[[THERE:.*]] = stablehlo.multiply %[[FROM]], %{{.*}} : tensor<i32>
// CHECK: %[[O1:.*]], %[[L1:.*]] = smith.partial_attention %[[Q]], %[[K1]], %[[K1]] at %[[HERE]], %[[THERE]] of 8 after %[[O0]], %[[L0]] causal
// CHECK: %[[K2:.*]] = smith.collective_permute %[[K1]]
// CHECK: %[[O2:.*]], %{{.*}} = smith.partial_attention %[[Q]], %[[K2]], %[[K2]] {{.*}} after %[[O1]], %[[L1]] causal
// CHECK: return %[[O2]]
func.func @forward(
    %q: tensor<2x1x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}, {}]>},
    %k: tensor<2x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}, {}]>})
    -> (tensor<2x1x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}, {}]>}) {
  %o, %l = smith.attention %q, %k, %k causal ring scale = 0.5
      {smith.factor_axes = #smith.factor_axes<[{}, {}, {"a"}, {}, {}]>,
       sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"a"}, {}]>, <@mesh, [{}, {}, {"a"}]>]>}
      : (tensor<2x1x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> (tensor<2x1x8x4xf32>, tensor<2x1x8xf32>)
  return %o : tensor<2x1x8x4xf32>
}

// Sums of gradients are f32, and begin at the second step; what ranks have for
// their own keys waits for them. Messages have the marks of the backward pass.
// A bias gives each step its keys.

// CHECK-LABEL: @backward
// CHECK-SAME: %[[BIAS:[a-z0-9]+]]: tensor<1x1x1x8xf32>
// CHECK: %[[B0:.*]] = stablehlo.dynamic_slice %[[BIAS]], {{.*}} sizes = [1, 1, 1, 4]
// CHECK: %[[DQ:.*]], %[[OWN:.*]], %{{.*}} = smith.partial_attention_gradient {{.*}} of 8 bias %[[B0]] scale {{.*}} -> (tensor<2x1x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>)
// CHECK: smith.collective_permute %{{.*}} over ["b"] pairs = {{\[\[}}0, 1], [1, 0], [2, 3], [3, 2], [4, 5], [5, 4]] {smith.backward, smith.stage = 1 : i64} : tensor<2x4x4xbf16>
// CHECK: %{{.*}}, %[[OTHERS:.*]], %{{.*}} = smith.partial_attention_gradient {{.*}} queries_after %[[DQ]] scale {{.*}} -> (tensor<2x1x4x4xbf16>, tensor<2x4x4xf32>, tensor<2x4x4xf32>)
// CHECK: %[[HOME:.*]] = smith.collective_permute %[[OTHERS]] over ["b"] {{.*}} : tensor<2x4x4xf32>
// CHECK: %[[SUM:.*]] = stablehlo.add %[[OWN]], %[[HOME]] : tensor<2x4x4xf32>
// CHECK: stablehlo.convert %[[SUM]] : (tensor<2x4x4xf32>) -> tensor<2x4x4xbf16>
func.func @backward(
    %q: tensor<2x1x8x4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"b"}, {}]>},
    %k: tensor<2x8x4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}, {}]>},
    %l: tensor<2x1x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"b"}]>},
    %b: tensor<1x1x1x8xf32>)
    -> (tensor<2x8x4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}, {}]>}) {
  %dq, %dk, %dv = smith.attention_gradient %q, %k, %k, %q, %l, %q bias %b ring scale = 0.5
      {smith.factor_axes = #smith.factor_axes<[{}, {}, {"b"}, {}, {}, {}, {}, {}]>, smith.stage = 1 : i64, smith.backward,
       sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"b"}, {}]>, <@mesh, [{}, {"b"}, {}]>, <@mesh, [{}, {"b"}, {}]>]>}
      : (tensor<2x1x8x4xbf16>, tensor<2x8x4xbf16>, tensor<2x8x4xbf16>, tensor<2x1x8x4xbf16>, tensor<2x1x8xf32>, tensor<2x1x8x4xbf16>, tensor<1x1x1x8xf32>)
      -> (tensor<2x1x8x4xbf16>, tensor<2x8x4xbf16>, tensor<2x8x4xbf16>)
  return %dk : tensor<2x8x4xbf16>
}

// Positions that nothing splits need no ring.
// CHECK-LABEL: @whole
// CHECK: smith.attention %{{.*}} causal ring scale
func.func @whole(%q: tensor<2x1x8x4xf32>, %k: tensor<2x8x4xf32>) -> tensor<2x1x8x4xf32> {
  %o, %l = smith.attention %q, %k, %k causal ring scale = 0.5
      {smith.factor_axes = #smith.factor_axes<[{}, {}, {}, {}, {}]>}
      : (tensor<2x1x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> (tensor<2x1x8x4xf32>, tensor<2x1x8xf32>)
  return %o : tensor<2x1x8x4xf32>
}

// In zigzag a rank's positions begin at half as many, its other half ends as far
// from the end, and a step takes both halves of its keys out of the bias.

// CHECK-LABEL: @zigzag
// CHECK: %[[HALF:.*]] = stablehlo.constant dense<2> : tensor<i32>
// CHECK: %[[HERE:.*]] = stablehlo.multiply %{{.*}}, %[[HALF]] : tensor<i32>
// CHECK: %[[FROM:.*]] = stablehlo.subtract %{{.*}}, %[[HERE]] : tensor<i32>
// CHECK: %[[FIRST:.*]] = stablehlo.dynamic_slice {{.*}}%[[HERE]], sizes = [1, 1, 1, 2]
// CHECK: %[[SECOND:.*]] = stablehlo.dynamic_slice {{.*}}%[[FROM]], sizes = [1, 1, 1, 2]
// CHECK: %[[BIAS:.*]] = stablehlo.concatenate %[[FIRST]], %[[SECOND]], dim = 3
// CHECK: smith.partial_attention {{.*}} at %[[HERE]], %[[HERE]] of 8 bias %[[BIAS]] causal zigzag scale
func.func @zigzag(
    %q: tensor<2x1x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"b"}, {}]>},
    %k: tensor<2x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}, {}]>},
    %b: tensor<1x1x1x8xf32>)
    -> (tensor<2x1x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"b"}, {}]>}) {
  %o, %l = smith.attention %q, %k, %k bias %b causal ring zigzag = 2 scale = 0.5
      {smith.factor_axes = #smith.factor_axes<[{}, {}, {"b"}, {}, {}, {}, {}, {}]>,
       sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"b"}, {}]>, <@mesh, [{}, {}, {"b"}]>]>}
      : (tensor<2x1x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<1x1x1x8xf32>) -> (tensor<2x1x8x4xf32>, tensor<2x1x8xf32>)
  return %o : tensor<2x1x8x4xf32>
}
