// SPDX-License-Identifier: Apache-2.0

#include "Architectures.h"

#include "shardsmith/Support/ClosestWord.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith::huggingface {
namespace {

struct Architecture {
  const char *modelType;
  ReadArchitecture read;
};

constexpr Architecture architectures[] = {
    {"bert", readBert},
    {"deepseek_v3", readDeepseekV3},
    {"gpt2", readGpt2},
    {"gpt_neox", readGptNeox},
    {"llama", readLlama},
    {"mistral", readMistral},
    {"mixtral", readMixtral},
    {"qwen2", readQwen2},
    {"qwen3", readQwen3},
    {"qwen3_moe", readQwen3Moe},
    {"shardsmith-transformer", readTransformer},
    {"t5", readT5},
    {"vit", readVit},
};

void refuseArchitecture(ConfigObject &config, const std::string &name) {
  std::vector<std::string> known;
  for (const Architecture &architecture : architectures)
    known.push_back(architecture.modelType);
  std::string nearest = closestWord(name, known);
  config.refuse(
      "model_type",
      fmt::format(
          "architecture '{}' is not known{}; known are {}", name,
          nearest.empty() ? "" : fmt::format(", the nearest is '{}'", nearest),
          fmt::join(known, ", ")));
}

/// What would make the graph another one than the file means.
void refuseFeatures(ConfigObject &config) {
  if (config.has("quantization_config"))
    config.refuseUnsupported("quantization_config",
                             "quantised models are not supported; remove it to "
                             "plan the model in the type of --dtype");
}

} // namespace

llvm::Expected<ModelSpec> readModel(ConfigObject &config) {
  std::string name = config.text("model_type");
  if (config.failed())
    return config.takeError();
  for (const Architecture &architecture : architectures) {
    if (name != architecture.modelType)
      continue;
    ModelSpec spec = architecture.read(config);
    refuseFeatures(config);
    if (config.failed())
      return config.takeError();
    spec.name = name;
    return spec;
  }
  refuseArchitecture(config, name);
  return config.takeError();
}

Activation readActivation(ConfigObject &config, const std::string &key,
                          const std::string &fallback) {
  static const std::pair<const char *, Activation> known[] = {
      {"gelu", Activation::Gelu},
      {"gelu_new", Activation::GeluTanh},
      {"gelu_fast", Activation::GeluTanh},
      {"gelu_pytorch_tanh", Activation::GeluTanh},
      {"relu", Activation::Relu},
      {"silu", Activation::Silu},
      {"swish", Activation::Silu},
      {"tanh", Activation::Tanh},
  };
  std::string name = config.text(key, fallback);
  for (auto [text, activation] : known)
    if (name == text)
      return activation;
  config.refuseUnsupported(key, "activation '" + name +
                                    "' is not supported; gelu, gelu_new, "
                                    "relu, silu and tanh are");
  return Activation::Relu;
}

int64_t divided(ConfigObject &config, const std::string &key, int64_t a,
                int64_t b) {
  if (a % b != 0)
    config.refuse(key, fmt::format("{} does not divide {}", b, a));
  return std::max<int64_t>(a / b, 1);
}

} // namespace shardsmith::huggingface
