// RUN: shardsmith-opt %s --split-micro-batches=count=2 --split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0

// The maximum over the batch would have to be known in every iteration.
// expected-note@+1 {{argument 0 is a batch}}
func.func @main(%x: tensor<4xf32> {smith.role = "batch", smith.name = "x"}) -> tensor<f32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %h = smith.loop_carry %zero loop 0 of 5 number = 0 : tensor<f32>
  // expected-note@+1 {{'stablehlo.reduce' combines the samples of the batch}}
  %m = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  // expected-error@+1 {{no micro-batches: 'stablehlo.add' uses a value of the whole batch inside of a loop; use one micro-batch per step}}
  %n = stablehlo.add %h, %m : tensor<f32>
  %z = smith.loop_next %n for %h loop 0 of 5 : tensor<f32>
  return %z : tensor<f32>
}
