// RUN: shardsmith-opt %s --split-micro-batches=shares=2,1 -split-input-file \
// RUN:   -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0

// What a micro-batch's own mean is depends on how many samples there are of it,
// and ranks that are at their end have none.
// expected-error@+1 {{no micro-batches: data ranks have different numbers of them, which has no meaning with --per-micro-batch-semantics; use even=on}}
func.func @main(%x: tensor<3xf32> {smith.role = "batch", smith.name = "x"})
    attributes {smith.per_micro_batch} {
  return
}

// -----

func.func @main(%x: tensor<3xf32> {smith.role = "batch", smith.name = "x"}) -> tensor<3xf32> {
  // expected-error@+1 {{no uneven shares: the step has a loop of 5 iterations; give every data rank as many micro-batches}}
  %h = smith.loop_carry %x loop 0 of 5 number = 0 : tensor<3xf32>
  %n = stablehlo.add %h, %h : tensor<3xf32>
  %z = smith.loop_next %n for %h loop 0 of 5 : tensor<3xf32>
  return %z : tensor<3xf32>
}
