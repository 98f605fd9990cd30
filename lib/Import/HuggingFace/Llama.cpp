// SPDX-License-Identifier: Apache-2.0
//
// Llama and its relatives: RMS norms first, rotary positions, grouped queries,
// gated MLPs or experts. Mistral, Qwen and Mixtral differ in a bias, a norm of
// heads, and what the feed-forward part is.

#include "Architectures.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace shardsmith::huggingface {
namespace {

/// What one member of the family does differently.
struct Differences {
  bool queryBias = false;
  bool outputBias = false;
  bool mlpBias = false;
  bool normalizesHeads = false;
};

MlpSpec gatedMlp(const std::string &name, int64_t hidden, int64_t inner,
                 bool bias, Activation activation) {
  return {.gate = LinearSpec{name + ".gate_proj", hidden, inner, bias},
          .up = {name + ".up_proj", hidden, inner, bias},
          .down = {name + ".down_proj", inner, hidden, bias},
          .activation = activation};
}

/// Everything but layers.
ModelSpec readFrame(ConfigObject &config) {
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
  return spec;
}

AttentionSpec readAttention(ConfigObject &config, const ModelSpec &model,
                            const Differences &differences) {
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

/// A layer without its feed-forward part.
LayerSpec readLayer(ConfigObject &config, const ModelSpec &model,
                    const Differences &differences) {
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

MlpSpec readMlp(ConfigObject &config, const ModelSpec &model, bool bias) {
  return gatedMlp("mlp", model.hidden, config.size("intermediate_size"), bias,
                  readActivation(config, "hidden_act", "silu"));
}

void addLayers(ModelSpec &model, LayerSpec layer, int64_t count) {
  int64_t first = 0;
  for (const LayerRun &run : model.layers)
    first += run.count;
  if (count > 0)
    model.layers.push_back({std::move(layer), "model.layers", first, count});
}

ModelSpec readDense(ConfigObject &config, const Differences &differences) {
  ModelSpec model = readFrame(config);
  LayerSpec layer = readLayer(config, model, differences);
  layer.feedForward = readMlp(config, model, differences.mlpBias);
  addLayers(model, layer, config.integer("num_hidden_layers", 1, mostLayers));
  return model;
}

void readExpertCounts(ConfigObject &config, const std::string &countKey,
                      ExpertsSpec &experts) {
  experts.count = config.size(countKey);
  experts.perToken = config.integer("num_experts_per_tok", 1, experts.count);
}

/// `layer_types` or the older switches say which layers see a window only.
void readWindow(ConfigObject &config, ModelSpec &model, bool isOnByDefault) {
  if (!config.boolean("use_sliding_window", isOnByDefault) ||
      !config.has("sliding_window"))
    return;
  model.window = config.size("sliding_window");
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

ModelSpec readMixtral(ConfigObject &config) {
  ModelSpec model = readFrame(config);
  LayerSpec layer = readLayer(config, model, {});
  ExpertsSpec experts;
  readExpertCounts(config, "num_local_experts", experts);
  experts.hidden = model.hidden;
  experts.inner = config.size("intermediate_size");
  experts.router = {"block_sparse_moe.gate", model.hidden, experts.count};
  experts.gate = "block_sparse_moe.experts.w1";
  experts.up = "block_sparse_moe.experts.w3";
  experts.down = "block_sparse_moe.experts.w2";
  experts.activation = readActivation(config, "hidden_act", "silu");
  layer.name = "moe_layer";
  layer.feedForward = experts;
  addLayers(model, layer, config.integer("num_hidden_layers", 1, mostLayers));
  readWindow(config, model, /*isOnByDefault=*/true);
  return model;
}

//===----------------------------------------------------------------------===//
// Experts in some layers, MLPs in others
//===----------------------------------------------------------------------===//

namespace {

ExpertsSpec stackedExperts(const ModelSpec &model, ConfigObject &config,
                           const std::string &countKey) {
  ExpertsSpec experts;
  readExpertCounts(config, countKey, experts);
  experts.hidden = model.hidden;
  experts.inner = config.size("moe_intermediate_size");
  experts.router = {"mlp.gate", model.hidden, experts.count};
  experts.gate = "mlp.experts.gate_proj";
  experts.up = "mlp.experts.up_proj";
  experts.down = "mlp.experts.down_proj";
  experts.activation = readActivation(config, "hidden_act", "silu");
  return experts;
}

/// Layers `isDense` says have an MLP, the others experts.
template <typename Predicate>
void addMixedLayers(ConfigObject &config, ModelSpec &model, LayerSpec layer,
                    const ExpertsSpec &experts, Predicate isDense) {
  LayerSpec dense = layer, sparse = layer;
  dense.name = "dense_layer";
  dense.feedForward = readMlp(config, model, /*bias=*/false);
  sparse.name = "moe_layer";
  sparse.feedForward = experts;
  int64_t count = config.integer("num_hidden_layers", 1, mostLayers);
  int64_t begin = 0;
  for (int64_t i = 1; i <= count; ++i) {
    if (i < count && isDense(i) == isDense(begin))
      continue;
    addLayers(model, isDense(begin) ? dense : sparse, i - begin);
    begin = i;
  }
}

/// Queries, keys and values through latent vectors.
AttentionSpec readLatentAttention(ConfigObject &config,
                                  const ModelSpec &model) {
  AttentionSpec spec;
  spec.heads = config.size("num_attention_heads");
  spec.keyValueHeads = spec.heads;
  LatentProjections inputs;
  inputs.plainSize = config.size("qk_nope_head_dim");
  inputs.rotatedSize = config.size("qk_rope_head_dim");
  spec.valueSize = config.size("v_head_dim");
  spec.headSize = inputs.plainSize + inputs.rotatedSize;
  spec.scale = 1 / std::sqrt(static_cast<double>(spec.headSize));
  spec.rotary =
      readRotary(config, inputs.rotatedSize, 10000.0, model.maxPositions);
  spec.rotary->interleaved = config.boolean("rope_interleave", true);
  if (const nlohmann::json *found = config.nested("rope_scaling")) {
    ConfigObject scaling = config.inner("rope_scaling", *found);
    if (scaling.has("mscale_all_dim")) {
      double factor = scaling.number("factor", 0);
      double growth = factor <= 1 ? 1.0
                                  : 0.1 * scaling.number("mscale_all_dim", 0) *
                                            std::log(factor) +
                                        1.0;
      spec.scale *= growth * growth;
    }
    config.adopt(scaling);
  }

  double epsilon = model.head.norm->epsilon;
  int64_t queries = spec.heads * spec.headSize;
  if (config.has("q_lora_rank")) {
    int64_t rank = config.size("q_lora_rank");
    inputs.queryDown = {"self_attn.q_a_proj", model.hidden, rank};
    inputs.queryNorm = {"self_attn.q_a_layernorm", NormKind::Rms, rank,
                        epsilon};
    inputs.queryUp = {"self_attn.q_b_proj", rank, queries};
  } else {
    inputs.queryUp = {"self_attn.q_proj", model.hidden, queries};
  }
  int64_t latent = config.size("kv_lora_rank");
  inputs.keyValueDown = {"self_attn.kv_a_proj_with_mqa", model.hidden,
                         latent + inputs.rotatedSize};
  inputs.keyValueNorm = {"self_attn.kv_a_layernorm", NormKind::Rms, latent,
                         epsilon};
  inputs.keyValueUp = {"self_attn.kv_b_proj", latent,
                       spec.heads * (inputs.plainSize + spec.valueSize)};
  spec.inputs = inputs;
  spec.output = {"self_attn.o_proj", spec.heads * spec.valueSize, model.hidden};
  return spec;
}

} // namespace

ModelSpec readQwen3Moe(ConfigObject &config) {
  ModelSpec model = readFrame(config);
  LayerSpec layer = readLayer(config, model, {.normalizesHeads = true});
  ExpertsSpec experts = stackedExperts(model, config, "num_experts");
  experts.normalizes = config.boolean("norm_topk_prob", false);

  std::set<int64_t> dense;
  if (const nlohmann::json *list = config.nested("mlp_only_layers")) {
    if (!list->is_array() ||
        !std::ranges::all_of(*list, [](const nlohmann::json &item) {
          return item.is_number_unsigned();
        }))
      config.refuse("mlp_only_layers", "expected a list of layer numbers");
    else
      dense = list->get<std::set<int64_t>>();
  }
  int64_t step = config.integer("decoder_sparse_step", 1, mostLayers, 1);
  addMixedLayers(config, model, layer, experts, [&](int64_t i) {
    return dense.contains(i) || (i + 1) % step != 0;
  });
  readWindow(config, model, /*isOnByDefault=*/false);
  return model;
}

ModelSpec readDeepseekV3(ConfigObject &config) {
  ModelSpec model = readFrame(config);
  LayerSpec layer;
  layer.attentionNorm = layer.feedForwardNorm = *model.head.norm;
  layer.attentionNorm.name = "input_layernorm";
  layer.feedForwardNorm.name = "post_attention_layernorm";
  layer.attention = readLatentAttention(config, model);

  ExpertsSpec experts = stackedExperts(model, config, "n_routed_experts");
  experts.normalizes = config.boolean("norm_topk_prob", true);
  experts.weightFactor = config.number("routed_scaling_factor", 0, 1.0);
  GroupedRouting grouped{.correction = "mlp.gate.e_score_correction_bias"};
  grouped.groups = config.integer("n_group", 1, experts.count, 1);
  grouped.groupsKept =
      config.integer("topk_group", 1, grouped.groups, grouped.groups);
  int64_t perGroup = divided(config, "n_group", experts.count, grouped.groups);
  if (grouped.groupsKept < grouped.groups && perGroup < 2)
    config.refuse("n_group", "groups must have two experts or more");
  if (grouped.groupsKept * perGroup < experts.perToken)
    config.refuse("topk_group",
                  fmt::format("{} groups of {} experts are fewer than the {} "
                              "experts of a token",
                              grouped.groupsKept, perGroup, experts.perToken));
  experts.grouped = grouped;
  if (config.integer("moe_layer_freq", 1, mostLayers, 1) != 1)
    config.refuseUnsupported("moe_layer_freq", "only 1 is supported");
  int64_t sharedCount = config.integer("n_shared_experts", 0, 1024, 0);
  if (sharedCount > 0)
    experts.shared = gatedMlp("mlp.shared_experts", model.hidden,
                              experts.inner * sharedCount, /*bias=*/false,
                              experts.activation);
  int64_t leading = config.integer("first_k_dense_replace", 0, mostLayers, 0);
  addMixedLayers(config, model, layer, experts,
                 [&](int64_t i) { return i < leading; });
  return model;
}

} // namespace shardsmith::huggingface
