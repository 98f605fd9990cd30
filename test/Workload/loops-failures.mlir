// RUN: shardsmith-opt %s --print-workload -verify-diagnostics -o /dev/null
// SPDX-License-Identifier: Apache-2.0

// Functions are looked at once, whoever calls them.
func.func @main(
    %w: tensor<2xf32> {smith.role = "param", smith.name = "w"},
    %xs: tensor<5x2xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %z = func.call @steps(%w) : (tensor<2xf32>) -> tensor<2xf32>
  %loss = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @steps(%w: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{unsupported: a loop outside of @main; inline the call}}
  %h = smith.loop_carry %w loop 0 of 5 number = 0 : tensor<2xf32>
  %n = stablehlo.sine %h : tensor<2xf32>
  %z = smith.loop_next %n for %h loop 0 of 5 : tensor<2xf32>
  return %z : tensor<2xf32>
}
