// SPDX-License-Identifier: Apache-2.0
//
// What is in front of the layers and behind them.

#ifndef SHARDSMITH_LIB_IMPORT_HUGGINGFACE_MODELPARTS_H
#define SHARDSMITH_LIB_IMPORT_HUGGINGFACE_MODELPARTS_H

#include "FunctionBuilder.h"

namespace shardsmith::huggingface {

/// [batch, sequence] tokens as [batch, sequence, hidden].
TensorValue embedTokens(FunctionBuilder &function, const ModelSpec &spec,
                        TensorValue tokens);

/// [batch, channel, row, column] images as [batch, 1 + patches, hidden].
TensorValue embedImages(FunctionBuilder &function, const ModelSpec &spec,
                        TensorValue images);

/// Scores of all tokens at each position, in f32.
TensorValue scoreTokens(FunctionBuilder &function, const ModelSpec &spec,
                        TensorValue x);

/// Scores of all classes from the first position, in f32.
TensorValue scoreImages(FunctionBuilder &function, const ModelSpec &spec,
                        TensorValue x);

/// Mean over all labels of log(sum(exp(scores))) - scores[label].
TensorValue crossEntropy(TensorValue scores, TensorValue labels);

} // namespace shardsmith::huggingface

#endif // SHARDSMITH_LIB_IMPORT_HUGGINGFACE_MODELPARTS_H
