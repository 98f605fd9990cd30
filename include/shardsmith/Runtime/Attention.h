// SPDX-License-Identifier: Apache-2.0
//
// Attention for generated code: tile by tile of queries and keys, so that
// scores exist for one tile at a time only.

#ifndef SHARDSMITH_RUNTIME_ATTENTION_H
#define SHARDSMITH_RUNTIME_ATTENTION_H

#include "shardsmith/Runtime/ABI.h"
#include "shardsmith/Runtime/ThreadTeam.h"

namespace shardsmith::runtime {

/// `bias` may be null.
struct AttentionInputs {
  const void *query, *key, *value;
  const float *bias;
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

/// As smith_attention_run of ABI.h. Throws Failure if a size is too large for
/// the library of products.
void attend(const smith_attention &attention, const AttentionInputs &inputs,
            void *output, float *logSumExp, const ThreadTeam &team);

/// As smith_attention_gradient_run of ABI.h; throws as `attend` does.
void attendGradient(const smith_attention &attention,
                    const AttentionInputs &inputs,
                    const AttentionOutputs &outputs,
                    const AttentionGradients &gradients,
                    const ThreadTeam &team);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_ATTENTION_H
