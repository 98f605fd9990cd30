// SPDX-License-Identifier: Apache-2.0
//
// Llama, Mistral, Qwen 2 and Qwen 3.

#include "Llama.h"

#include <cmath>

namespace shardsmith::huggingface {
namespace {

AttentionSpec readAttention(ConfigObject &config, const ModelSpec &model,
                            const LlamaDifferences &differences) {
  AttentionSpec spec;
  spec.heads = config.size("num_attention_heads");
  spec.keyValueHeads = config.size("num_key_value_heads", spec.heads);
  divided(config, "num_key_value_heads", spec.heads, spec.keyValueHeads);
  spec.headSize =
      config.has("head_dim")
          ? config.size("head_dim")
          : divided(config, "num_attention_heads", model.hidden, spec.heads);
  spec.valueSize = spec.headSize;
  spec.scale = 1 / std::sqrt(static_cast<double>(spec.headSize));
  spec.rotary = readRotary(config, spec.headSize, 10000.0, model.maxPositions);

  int64_t queries = spec.heads * spec.headSize;
  int64_t keys = spec.keyValueHeads * spec.headSize;
  SeparateProjections inputs;
  inputs.query = {"self_attn.q_proj", model.hidden, queries,
                  differences.queryBias};
  inputs.key = {"self_attn.k_proj", model.hidden, keys, differences.queryBias};
  inputs.value = {"self_attn.v_proj", model.hidden, keys,
                  differences.queryBias};
  if (differences.normalizesHeads) {
    double epsilon = model.head.norm->epsilon;
    inputs.queryNorm = {"self_attn.q_norm", NormKind::Rms, spec.headSize,
                        epsilon};
    inputs.keyNorm = {"self_attn.k_norm", NormKind::Rms, spec.headSize,
                      epsilon};
  }
  spec.inputs = inputs;
  spec.output = {"self_attn.o_proj", queries, model.hidden,
                 differences.outputBias};
  return spec;
}

} // namespace

MlpSpec gatedMlp(const std::string &name, int64_t hidden, int64_t inner,
                 bool bias, Activation activation) {
  return {.gate = LinearSpec{name + ".gate_proj", hidden, inner, bias},
          .up = {name + ".up_proj", hidden, inner, bias},
          .down = {name + ".down_proj", inner, hidden, bias},
          .activation = activation};
}

ModelSpec readLlamaFrame(ConfigObject &config) {
  ModelSpec spec;
  spec.hidden = config.size("hidden_size");
  spec.vocabulary = config.size("vocab_size");
  spec.maxPositions = config.size("max_position_embeddings", 4096);
  spec.embedding = TokenEmbedding{.tokens = "model.embed_tokens.weight"};
  double epsilon = config.number("rms_norm_eps", 0, 1e-6);
  spec.head.norm = {"model.norm", NormKind::Rms, spec.hidden, epsilon};
  bool isTied = config.boolean("tie_word_embeddings", false);
  spec.head.weight = isTied ? "model.embed_tokens.weight" : "lm_head.weight";
  spec.head.outputs = spec.vocabulary;
  spec.weightNames = {
      .prefix = "model.",
      .ignored = {"model.layers.*.self_attn.rotary_emb.inv_freq",
                  "model.rotary_emb.inv_freq"}};
  if (isTied)
    spec.weightNames.copies = {{"lm_head.weight", spec.head.weight}};
  return spec;
}

LayerSpec readLlamaLayer(ConfigObject &config, const ModelSpec &model,
                         const LlamaDifferences &differences) {
  NormSpec norm = *model.head.norm;
  LayerSpec layer;
  layer.name = "layer";
  norm.name = "input_layernorm";
  layer.attentionNorm = norm;
  norm.name = "post_attention_layernorm";
  layer.feedForwardNorm = norm;
  layer.attention = readAttention(config, model, differences);
  return layer;
}

MlpSpec readLlamaMlp(ConfigObject &config, const ModelSpec &model, bool bias) {
  return gatedMlp("mlp", model.hidden, config.size("intermediate_size"), bias,
                  readActivation(config, "hidden_act", "silu"));
}

void addLlamaLayers(ModelSpec &model, LayerSpec layer, int64_t count) {
  int64_t first = 0;
  for (const LayerRun &run : model.layers)
    first += run.count;
  if (count > 0)
    model.layers.push_back({std::move(layer), "model.layers", first, count});
}

void readWindow(ConfigObject &config, ModelSpec &model, bool isOnByDefault) {
  if (!config.boolean("use_sliding_window", isOnByDefault) ||
      !config.has("sliding_window"))
    return;
  model.window = config.size("sliding_window");
}

namespace {

ModelSpec readDense(ConfigObject &config, const LlamaDifferences &differences) {
  ModelSpec model = readLlamaFrame(config);
  LayerSpec layer = readLlamaLayer(config, model, differences);
  layer.feedForward = readLlamaMlp(config, model, differences.mlpBias);
  addLlamaLayers(model, layer,
                 config.integer("num_hidden_layers", 1, mostLayers));
  return model;
}

} // namespace

ModelSpec readLlama(ConfigObject &config) {
  bool bias = config.boolean("attention_bias", false);
  return readDense(config, {.queryBias = bias,
                            .outputBias = bias,
                            .mlpBias = config.boolean("mlp_bias", false)});
}

ModelSpec readMistral(ConfigObject &config) {
  ModelSpec model = readDense(config, {});
  readWindow(config, model, /*isOnByDefault=*/true);
  return model;
}

ModelSpec readQwen2(ConfigObject &config) {
  ModelSpec model = readDense(config, {.queryBias = true});
  readWindow(config, model, /*isOnByDefault=*/false);
  return model;
}

ModelSpec readQwen3(ConfigObject &config) {
  bool bias = config.boolean("attention_bias", false);
  ModelSpec model = readDense(
      config, {.queryBias = bias, .outputBias = bias, .normalizesHeads = true});
  readWindow(config, model, /*isOnByDefault=*/false);
  return model;
}

} // namespace shardsmith::huggingface
