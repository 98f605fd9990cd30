// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_HUGGINGFACE_ARCHITECTURES_H
#define SHARDSMITH_LIB_IMPORT_HUGGINGFACE_ARCHITECTURES_H

#include "ConfigObject.h"
#include "ModelSpec.h"

namespace shardsmith::huggingface {

/// Reads the configuration of one family. Problems are left in `config`.
using ReadArchitecture = ModelSpec (*)(ConfigObject &config);

/// Fills a ModelSpec by the reader that `model_type` names.
llvm::Expected<ModelSpec> readModel(ConfigObject &config);

//===----------------------------------------------------------------------===//
// Families, one file each
//===----------------------------------------------------------------------===//

/// Llama, Mistral, Qwen 2, Qwen 3: one layout with small differences.
ModelSpec readLlama(ConfigObject &config);
ModelSpec readMistral(ConfigObject &config);
ModelSpec readQwen2(ConfigObject &config);
ModelSpec readQwen3(ConfigObject &config);
ModelSpec readMixtral(ConfigObject &config);
ModelSpec readQwen3Moe(ConfigObject &config);
ModelSpec readDeepseekV3(ConfigObject &config);
ModelSpec readGpt2(ConfigObject &config);
ModelSpec readGptNeox(ConfigObject &config);
ModelSpec readBert(ConfigObject &config);
ModelSpec readVit(ConfigObject &config);
ModelSpec readT5(ConfigObject &config);
ModelSpec readTransformer(ConfigObject &config);

//===----------------------------------------------------------------------===//
// What several families share
//===----------------------------------------------------------------------===//

/// The activation named by `key`, one of the transformers library's names.
Activation readActivation(ConfigObject &config, const std::string &key,
                          const std::string &fallback);

/// `a / b`; a problem at `key` unless it is whole.
int64_t divided(ConfigObject &config, const std::string &key, int64_t a,
                int64_t b);

/// Angles of rotary positions for heads of which `size` channels rotate, with
/// the file's `rope_theta` and `rope_scaling`.
RotarySpec readRotary(ConfigObject &config, int64_t size, double defaultBase,
                      int64_t maxPositions);

/// What DeepSeek multiplies scores by when YaRN stretches its positions.
double readYarnScoreFactor(ConfigObject &config);

} // namespace shardsmith::huggingface

#endif // SHARDSMITH_LIB_IMPORT_HUGGINGFACE_ARCHITECTURES_H
