// RUN: shardsmith-opt %s --split-micro-batches=count=2 -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0

func.func @main(%x: tensor<4xi32> {smith.role = "batch", smith.name = "x"}) -> tensor<4xi32> {
  // expected-error@+1 {{no micro-batches: the step has a loop of 5 iterations; use one micro-batch per step}}
  %h = smith.loop_carry %x loop 0 of 5 number = 0 : tensor<4xi32>
  %n = stablehlo.negate %h : tensor<4xi32>
  %z = smith.loop_next %n for %h loop 0 of 5 : tensor<4xi32>
  return %z : tensor<4xi32>
}
