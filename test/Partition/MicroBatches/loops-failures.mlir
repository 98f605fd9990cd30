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

// -----

// Micro-batches would go on for different times.
// expected-note@+1 {{argument 0 is a batch}}
func.func @main(%x: tensor<4xf32> {smith.role = "batch", smith.name = "x"}, %go: tensor<i1>) -> tensor<4xf32> {
  %false = stablehlo.constant dense<false> : tensor<i1>
  %g = smith.loop_carry %go loop 0 of 32 number = 0 : tensor<i1>
  %h = smith.loop_carry %x loop 0 of 32 number = 1 : tensor<4xf32>
  %n = stablehlo.sine %h : tensor<4xf32>
  %d = stablehlo.compare NE, %n, %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // expected-note@+1 {{'stablehlo.reduce' combines the samples of the batch}}
  %any = stablehlo.reduce(%d init: %false) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
  // expected-error@+1 {{no micro-batches: 'smith.loop_next' decides by the whole batch how often a loop is done; use one micro-batch per step}}
  %end = smith.loop_next %any for %g decides loop 0 of 32 : tensor<i1>
  %z = smith.loop_next %n for %h loop 0 of 32 : tensor<4xf32>
  return %z : tensor<4xf32>
}
