// RUN: shardsmith-opt %s --global-to-local --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0

sdy.mesh @mesh = <["a"=4]>

func.func @other_ranks(
    %q: tensor<1x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}, {}]>},
    %k: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
    -> (tensor<1x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}, {}]>}) {
  // expected-error@+1 {{is in zigzag over 2 ranks, but its positions are split over 4}}
  %o, %l = smith.attention %q, %k, %k causal ring zigzag = 2 scale = 0.5
      {smith.factor_axes = #smith.factor_axes<[{}, {"a"}, {}, {}]>,
       sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}, {}]>, <@mesh, [{}, {"a"}]>]>}
      : (tensor<1x16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) -> (tensor<1x16x4xf32>, tensor<1x16xf32>)
  return %o : tensor<1x16x4xf32>
}
