// RUN: shardsmith-opt %s --differentiate -verify-diagnostics

func.func public @main(
    %q: tensor<2x6x8xf32> {smith.name = "q", smith.role = "param"},
    %k: tensor<6x8xf32> {smith.name = "k", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error@+1 {{has no derivative for its log-sum-exp; let nothing but smith.attention_gradient read it}}
  %o, %lse = smith.attention %q, %k, %k causal scale = 0.25
      : (tensor<2x6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>) -> (tensor<2x6x8xf32>, tensor<2x6xf32>)
  %loss = stablehlo.reduce(%lse init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
