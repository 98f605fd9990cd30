// SPDX-License-Identifier: Apache-2.0
//
// The parts of a layer, as ops. Activations are [batch, sequence, hidden].

#ifndef SHARDSMITH_LIB_IMPORT_HUGGINGFACE_LAYERPARTS_H
#define SHARDSMITH_LIB_IMPORT_HUGGINGFACE_LAYERPARTS_H

#include "FunctionBuilder.h"

namespace shardsmith::huggingface {

/// Queries come from `x`, keys and values from `source` (`x` itself but for
/// cross attention).
TensorValue attend(FunctionBuilder &function, const AttentionSpec &spec,
                   TensorValue x, TensorValue source);

/// Rotates the leading `spec.size` channels of heads [batch, sequence, heads,
/// channels] by angles that grow with the position.
TensorValue rotate(const RotarySpec &spec, TensorValue heads);

/// T5's bias as [heads, queries, keys].
TensorValue relativeBias(FunctionBuilder &function,
                         const RelativeBiasSpec &spec, int64_t heads,
                         int64_t queries, int64_t keys, bool causal);

TensorValue feedForward(FunctionBuilder &function, const MlpSpec &spec,
                        TensorValue x);
TensorValue feedForward(FunctionBuilder &function, const ExpertsSpec &spec,
                        TensorValue x);

} // namespace shardsmith::huggingface

#endif // SHARDSMITH_LIB_IMPORT_HUGGINGFACE_LAYERPARTS_H
