// SPDX-License-Identifier: Apache-2.0
//
// Attention for generated code: tile by tile of queries and keys, so that
// scores exist for one tile at a time only. A step of a ring attends to some of
// the keys and takes in what earlier steps have made of others.

#ifndef SHARDSMITH_RUNTIME_ATTENTION_H
#define SHARDSMITH_RUNTIME_ATTENTION_H

#include "shardsmith/Runtime/ABI.h"
#include "shardsmith/Runtime/ThreadTeam.h"

#include <limits>

namespace shardsmith::runtime {

/// Where queries and keys are in the sequence, which ends before `end`. In
/// zigzag their first halves are there, and their second halves as far from the
/// end.
struct AttentionPlace {
  int64_t firstQuery = 0, firstKey = 0,
          end = std::numeric_limits<int64_t>::max();
};

/// `bias` may be null.
struct AttentionInputs {
  const void *query, *key, *value;
  const float *bias;
  AttentionPlace place = {};
};

/// The output and log-sum-exp of earlier steps, both null if there are none.
struct AttentionBefore {
  const float *output = nullptr, *logSumExp = nullptr;
};

/// Gradients of earlier steps; null: none.
struct AttentionGradientsBefore {
  const float *query = nullptr, *key = nullptr, *value = nullptr;
};

/// What the forward pass has made, and the cotangent of its output.
struct AttentionOutputs {
  const void *output;
  const float *logSumExp;
  const void *cotangent;
};

struct AttentionGradients {
  void *query, *key, *value;
};

/// As smith_attention_run and smith_partial_attention_run of ABI.h. Throws
/// Failure if a size is too large for the library of products.
void attend(const smith_attention &attention, const AttentionInputs &inputs,
            void *output, float *logSumExp, const ThreadTeam &team,
            const AttentionBefore &before = {});

/// As smith_attention_gradient_run and smith_partial_attention_gradient_run of
/// ABI.h; throws as `attend` does.
void attendGradient(const smith_attention &attention,
                    const AttentionInputs &inputs,
                    const AttentionOutputs &outputs,
                    const AttentionGradients &gradients, const ThreadTeam &team,
                    const AttentionGradientsBefore &before = {});

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_ATTENTION_H
