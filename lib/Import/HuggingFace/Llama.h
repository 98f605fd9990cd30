// SPDX-License-Identifier: Apache-2.0
//
// What Llama's relatives share: RMS norms first, rotary positions, grouped
// queries, gated MLPs or experts.

#ifndef SHARDSMITH_LIB_IMPORT_HUGGINGFACE_LLAMA_H
#define SHARDSMITH_LIB_IMPORT_HUGGINGFACE_LLAMA_H

#include "Architectures.h"

namespace shardsmith::huggingface {

/// What one member of the family does differently.
struct LlamaDifferences {
  bool queryBias = false;
  bool outputBias = false;
  bool mlpBias = false;
  bool normalizesHeads = false;
};

MlpSpec gatedMlp(const std::string &name, int64_t hidden, int64_t inner,
                 bool bias, Activation activation);

/// Everything but layers.
ModelSpec readLlamaFrame(ConfigObject &config);

/// A layer without its feed-forward part.
LayerSpec readLlamaLayer(ConfigObject &config, const ModelSpec &model,
                         const LlamaDifferences &differences);
MlpSpec readLlamaMlp(ConfigObject &config, const ModelSpec &model, bool bias);

/// Appends `count` layers behind those that `model` has.
void addLlamaLayers(ModelSpec &model, LayerSpec layer, int64_t count);

/// How far attention sees, if not over the whole sequence.
void readWindow(ConfigObject &config, ModelSpec &model, bool isOnByDefault);

} // namespace shardsmith::huggingface

#endif // SHARDSMITH_LIB_IMPORT_HUGGINGFACE_LLAMA_H
