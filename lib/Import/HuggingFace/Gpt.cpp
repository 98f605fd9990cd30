// SPDX-License-Identifier: Apache-2.0
//
// GPT-2 and GPT-NeoX: layer norms, biases everywhere, one product for
// queries, keys and values, and an MLP without gate.

#include "Architectures.h"

#include <cmath>
#include <fmt/format.h>

namespace shardsmith::huggingface {

ModelSpec readGpt2(ConfigObject &config) {
  ModelSpec model;
  model.hidden = config.size("n_embd");
  model.vocabulary = config.size("vocab_size");
  model.maxPositions = config.size("n_positions", 1024);
  model.positionsAreLimited = true;
  model.embedding = TokenEmbedding{.tokens = "transformer.wte.weight",
                                   .positions = "transformer.wpe.weight"};
  double epsilon = config.number("layer_norm_epsilon", 0, 1e-5);
  NormSpec norm{"transformer.ln_f", NormKind::Layer, model.hidden, epsilon};
  model.head.norm = norm;
  bool isTied = config.boolean("tie_word_embeddings", true);
  model.head.weight = isTied ? "transformer.wte.weight" : "lm_head.weight";
  model.head.outputs = model.vocabulary;
  model.weightNames = {.prefix = "transformer.",
                       .ignored = {"transformer.h.*.attn.bias",
                                   "transformer.h.*.attn.masked_bias"}};
  if (isTied)
    model.weightNames.copies = {{"lm_head.weight", model.head.weight}};
  for (const char *key :
       {"scale_attn_by_inverse_layer_idx", "add_cross_attention"})
    if (config.boolean(key, false))
      config.refuseUnsupported(key, "true is not supported");

  AttentionSpec attention;
  attention.heads = attention.keyValueHeads = config.size("n_head");
  attention.headSize = attention.valueSize =
      divided(config, "n_head", model.hidden, attention.heads);
  if (config.boolean("scale_attn_weights", true))
    attention.scale = 1 / std::sqrt(static_cast<double>(attention.headSize));
  int64_t hidden = model.hidden;
  attention.inputs = FusedProjection{
      .all = {"attn.c_attn", hidden, 3 * hidden, true, /*inputsFirst=*/true}};
  attention.output = {"attn.c_proj", hidden, hidden, true,
                      /*inputsFirst=*/true};

  int64_t inner = config.size("n_inner", 4 * hidden);
  LayerSpec layer;
  layer.name = "layer";
  layer.attention = attention;
  layer.feedForward = MlpSpec{
      .up = {"mlp.c_fc", hidden, inner, true, /*inputsFirst=*/true},
      .down = {"mlp.c_proj", inner, hidden, true,
               /*inputsFirst=*/true},
      .activation = readActivation(config, "activation_function", "gelu_new")};
  layer.attentionNorm = layer.feedForwardNorm = norm;
  layer.attentionNorm.name = "ln_1";
  layer.feedForwardNorm.name = "ln_2";
  model.layers = {
      {layer, "transformer.h", 0, config.integer("n_layer", 1, mostLayers)}};
  return model;
}

namespace {

/// The share of a head's channels that rotate. Newer files have it among all
/// that is said of rotary positions.
double readRotatedShare(ConfigObject &config) {
  const nlohmann::json nothing = nlohmann::json::object();
  const nlohmann::json *found = config.nested("rope_parameters");
  ConfigObject rotary =
      config.inner("rope_parameters", found ? *found : nothing);
  bool isNewer = rotary.has("partial_rotary_factor");
  ConfigObject &place = isNewer ? rotary : config;
  const char *key = isNewer ? "partial_rotary_factor" : "rotary_pct";
  double share = place.number(key, 0, 0.25);
  if (share > 1)
    place.refuse(key, fmt::format("expected at most 1, got {}", share));
  config.adopt(rotary);
  return share;
}

} // namespace

ModelSpec readGptNeox(ConfigObject &config) {
  ModelSpec model;
  int64_t hidden = model.hidden = config.size("hidden_size");
  model.vocabulary = config.size("vocab_size");
  model.maxPositions = config.size("max_position_embeddings", 2048);
  model.embedding = TokenEmbedding{.tokens = "gpt_neox.embed_in.weight"};
  double epsilon = config.number("layer_norm_eps", 0, 1e-5);
  NormSpec norm{"gpt_neox.final_layer_norm", NormKind::Layer, hidden, epsilon};
  model.head.norm = norm;
  bool isTied = config.boolean("tie_word_embeddings", false);
  model.head.weight = isTied ? "gpt_neox.embed_in.weight" : "embed_out.weight";
  model.head.outputs = model.vocabulary;
  model.weightNames = {
      .prefix = "gpt_neox.",
      .ignored = {"gpt_neox.layers.*.attention.bias",
                  "gpt_neox.layers.*.attention.masked_bias",
                  "gpt_neox.layers.*.attention.rotary_emb.inv_freq"}};
  if (isTied)
    model.weightNames.copies = {{"embed_out.weight", model.head.weight}};

  AttentionSpec attention;
  attention.heads = attention.keyValueHeads =
      config.size("num_attention_heads");
  attention.headSize = attention.valueSize =
      divided(config, "num_attention_heads", hidden, attention.heads);
  attention.scale = 1 / std::sqrt(static_cast<double>(attention.headSize));
  double share = readRotatedShare(config);
  auto rotated = static_cast<int64_t>(std::min(share, 1.0) *
                                      static_cast<double>(attention.headSize));
  double base = config.number("rotary_emb_base", 1, 10000.0);
  attention.rotary = readRotary(config, rotated, base, model.maxPositions);
  bool bias = config.boolean("attention_bias", true);
  attention.inputs = FusedProjection{
      .all = {"attention.query_key_value", hidden, 3 * hidden, bias},
      .headsFirst = true};
  attention.output = {"attention.dense", hidden, hidden, bias};

  int64_t inner = config.size("intermediate_size");
  LayerSpec layer;
  layer.name = "layer";
  bool isParallel = config.boolean("use_parallel_residual", true);
  layer.arrangement =
      isParallel ? Arrangement::Parallel : Arrangement::NormFirst;
  layer.attention = attention;
  layer.feedForward =
      MlpSpec{.up = {"mlp.dense_h_to_4h", hidden, inner, true},
              .down = {"mlp.dense_4h_to_h", inner, hidden, true},
              .activation = readActivation(config, "hidden_act", "gelu")};
  layer.attentionNorm = layer.feedForwardNorm = norm;
  layer.attentionNorm.name = "input_layernorm";
  layer.feedForwardNorm.name = "post_attention_layernorm";
  model.layers = {{layer, "gpt_neox.layers", 0,
                   config.integer("num_hidden_layers", 1, mostLayers)}};
  return model;
}

} // namespace shardsmith::huggingface
