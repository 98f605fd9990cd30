// SPDX-License-Identifier: Apache-2.0
//
// Relatives of Llama with experts: Mixtral, Qwen 3 MoE, DeepSeek-V3.

#include "Llama.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace shardsmith::huggingface {
namespace {

void readExpertCounts(ConfigObject &config, const std::string &countKey,
                      ExpertsSpec &experts) {
  experts.count = config.size(countKey);
  experts.perToken = config.integer("num_experts_per_tok", 1, experts.count);
}

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

/// Checkpoints have the matrices of every expert by themselves.
std::vector<std::string>
stackedNames(const std::string &part,
             std::initializer_list<const char *> names) {
  std::vector<std::string> patterns;
  for (const char *name : names)
    patterns.push_back(
        fmt::format("model.layers.*.{}.experts.#.{}.weight", part, name));
  return patterns;
}

/// Layers `isDense` says have an MLP, the others experts.
template <typename Predicate>
void addMixedLayers(ConfigObject &config, ModelSpec &model,
                    const LayerSpec &layer, const ExpertsSpec &experts,
                    Predicate isDense) {
  model.weightNames.stacked =
      stackedNames("mlp", {"gate_proj", "up_proj", "down_proj"});
  LayerSpec dense = layer, sparse = layer;
  dense.name = "dense_layer";
  dense.feedForward = readLlamaMlp(config, model, /*bias=*/false);
  sparse.name = "moe_layer";
  sparse.feedForward = experts;
  int64_t count = config.integer("num_hidden_layers", 1, mostLayers);
  int64_t begin = 0;
  for (int64_t i = 1; i <= count; ++i) {
    if (i < count && isDense(i) == isDense(begin))
      continue;
    addLlamaLayers(model, isDense(begin) ? dense : sparse, i - begin);
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
  spec.scale *= readYarnScoreFactor(config);

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

ModelSpec readMixtral(ConfigObject &config) {
  ModelSpec model = readLlamaFrame(config);
  LayerSpec layer = readLlamaLayer(config, model, {});
  ExpertsSpec experts;
  readExpertCounts(config, "num_local_experts", experts);
  experts.hidden = model.hidden;
  experts.inner = config.size("intermediate_size");
  experts.router = {"block_sparse_moe.gate", model.hidden, experts.count};
  experts.gate = "block_sparse_moe.experts.w1";
  experts.up = "block_sparse_moe.experts.w3";
  experts.down = "block_sparse_moe.experts.w2";
  experts.activation = readActivation(config, "hidden_act", "silu");
  model.weightNames.stacked =
      stackedNames("block_sparse_moe", {"w1", "w2", "w3"});
  layer.name = "moe_layer";
  layer.feedForward = experts;
  addLlamaLayers(model, layer,
                 config.integer("num_hidden_layers", 1, mostLayers));
  readWindow(config, model, /*isOnByDefault=*/true);
  return model;
}

ModelSpec readQwen3Moe(ConfigObject &config) {
  ModelSpec model = readLlamaFrame(config);
  LayerSpec layer = readLlamaLayer(config, model, {.normalizesHeads = true});
  // Newer files have the other name.
  const char *countKey =
      config.has("num_local_experts") ? "num_local_experts" : "num_experts";
  ExpertsSpec experts = stackedExperts(model, config, countKey);
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
  ModelSpec model = readLlamaFrame(config);
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
