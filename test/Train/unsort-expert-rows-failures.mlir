// RUN: shardsmith-opt %s -split-input-file --unsort-expert-rows="ranks=2" -verify-diagnostics
// RUN: not shardsmith-opt %s --unsort-expert-rows="ranks=0" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: ranks=0: expected 1 to 1048576
// RUN: not shardsmith-opt %s --unsort-expert-rows="ranks=9223372036854775807" 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: ranks=9223372036854775807: expected 1 to 1048576
// RUN: not shardsmith-opt %s --unsort-expert-rows="samples=-3" 2>&1 | FileCheck %s --check-prefix=SAMPLES
// SAMPLES: samples=-3: expected zero or more
// RUN: not shardsmith-opt %s --unsort-expert-rows="capacity=1" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: experts have a capacity of each sample, but batch arguments do not agree on how many samples there are; leave the capacity out
// RUN: not shardsmith-opt %s --unsort-expert-rows="capacity=1 samples=3" 2>&1 | FileCheck %s --check-prefix=SORTED
// SORTED: error: experts cannot have a capacity: the rows of this product are not followed back to the tokens that chlo.top_k has chosen experts for; leave the capacity out

func.func public @main(%x: tensor<12x8xf32>, %w: tensor<4x8x5xf32>, %sizes: tensor<4xi32>)
    -> tensor<12x5xf32> {
  // expected-error@+1 {{experts cannot be spread over 2 ranks: the rows of this product are not followed back to the tokens that chlo.top_k has chosen experts for; use one rank for all experts}}
  %y = "chlo.ragged_dot"(%x, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<4x8x5xf32>, tensor<4xi32>) -> tensor<12x5xf32>
  return %y : tensor<12x5xf32>
}
