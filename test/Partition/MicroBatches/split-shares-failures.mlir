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
