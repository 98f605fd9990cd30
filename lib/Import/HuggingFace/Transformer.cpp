// SPDX-License-Identifier: Apache-2.0
//
// `"model_type": "shardsmith-transformer"`: a decoder described by its sizes
// alone, for models that have no configuration file. docs/models.md lists the
// keys.

#include "Architectures.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace shardsmith::huggingface {
namespace {

class TransformerReader {
public:
  explicit TransformerReader(ConfigObject &config)
      : config(config), hidden(config.size("hidden")),
        normKind(oneOf("norm", {"layer", "rms"}) == "layer" ? NormKind::Layer
                                                            : NormKind::Rms),
        epsilon(config.number("norm_epsilon", 0, 1e-5)),
        bias(config.boolean("bias", normKind == NormKind::Layer)),
        isGated(config.boolean("gated", false)),
        activation(readActivation(config, "activation",
                                  isGated ? "silu" : "gelu_new")) {}

  ModelSpec read() {
    ModelSpec model;
    model.task =
        config.boolean("causal", true) ? Task::NextToken : Task::MaskedToken;
    model.hidden = hidden;
    model.vocabulary = config.size("vocab");
    std::string positions = oneOf("positions", {"learned", "rotary", "none"});
    TokenEmbedding embedding{.tokens = "model.embed_tokens.weight"};
    model.maxPositions = 4096;
    if (positions == "learned") {
      embedding.positions = "model.embed_positions.weight";
      model.positionsAreLimited = true;
      model.maxPositions = config.size("max_positions");
    } else {
      model.maxPositions = config.size("max_positions", 4096);
    }
    model.embedding = embedding;
    model.head.norm = norm("model.norm");
    model.head.outputs = model.vocabulary;
    model.head.weight = config.boolean("tied", true)
                            ? "model.embed_tokens.weight"
                            : "lm_head.weight";
    readLayers(model, positions == "rotary");
    return model;
  }

private:
  std::string oneOf(const std::string &key,
                    const std::vector<std::string> &words) {
    std::string word = config.text(key, words.front());
    if (std::ranges::count(words, word) > 0)
      return word;
    config.refuse(key, fmt::format("expected {}, got '{}'",
                                   fmt::join(words, ", "), word));
    return words.front();
  }

  NormSpec norm(const std::string &name) const {
    return {name, normKind, hidden, epsilon};
  }

  AttentionSpec readAttention(const ModelSpec &model, bool isRotary) {
    AttentionSpec spec;
    spec.heads = config.size("heads");
    spec.keyValueHeads = config.size("kv_heads", spec.heads);
    divided(config, "kv_heads", spec.heads, spec.keyValueHeads);
    spec.headSize = spec.valueSize =
        config.has("head_dim") ? config.size("head_dim")
                               : divided(config, "heads", hidden, spec.heads);
    spec.scale = 1 / std::sqrt(static_cast<double>(spec.headSize));
    spec.causal = model.task == Task::NextToken;
    if (isRotary)
      spec.rotary =
          readRotary(config, spec.headSize, 10000.0, model.maxPositions);
    int64_t queries = spec.heads * spec.headSize;
    int64_t keys = spec.keyValueHeads * spec.headSize;
    spec.inputs = SeparateProjections{
        .query = {"self_attn.q_proj", hidden, queries, bias},
        .key = {"self_attn.k_proj", hidden, keys, bias},
        .value = {"self_attn.v_proj", hidden, keys, bias}};
    spec.output = {"self_attn.o_proj", queries, hidden, bias};
    return spec;
  }

  MlpSpec mlp(const std::string &name, int64_t inner) const {
    MlpSpec spec{.up = {name + ".up_proj", hidden, inner, bias},
                 .down = {name + ".down_proj", inner, hidden, bias},
                 .activation = activation};
    if (isGated)
      spec.gate = LinearSpec{name + ".gate_proj", hidden, inner, bias};
    return spec;
  }

  ExpertsSpec readExperts(int64_t count, int64_t inner) {
    ExpertsSpec spec;
    spec.count = count;
    spec.perToken = config.integer("experts_per_token", 1, count);
    spec.hidden = hidden;
    spec.inner = config.size("expert_ffn", inner);
    spec.router = {"mlp.gate", hidden, count};
    spec.up = "mlp.experts.up_proj";
    spec.down = "mlp.experts.down_proj";
    if (isGated)
      spec.gate = "mlp.experts.gate_proj";
    spec.activation = activation;
    int64_t shared = config.integer("shared_ffn", 0, largestSize, 0);
    if (shared > 0)
      spec.shared = mlp("mlp.shared_experts", shared);
    return spec;
  }

  void readLayers(ModelSpec &model, bool isRotary) {
    LayerSpec dense;
    dense.name = "layer";
    dense.arrangement = config.boolean("parallel", false)
                            ? Arrangement::Parallel
                            : Arrangement::NormFirst;
    dense.attentionNorm = norm("input_layernorm");
    dense.feedForwardNorm = norm("post_attention_layernorm");
    dense.attention = readAttention(model, isRotary);
    int64_t inner = config.size("ffn", 4 * hidden);
    dense.feedForward = mlp("mlp", inner);

    int64_t count = config.integer("layers", 1, mostLayers);
    int64_t experts = config.integer("experts", 0, 1 << 20, 0);
    LayerSpec sparse = dense;
    if (experts > 0) {
      sparse.name = "moe_layer";
      sparse.feedForward = readExperts(experts, inner);
    }
    int64_t leading = config.integer("dense_layers", 0, count, 0);
    int64_t step = config.integer("moe_every", 1, mostLayers, 1);
    auto isSparse = [&](int64_t i) {
      return experts > 0 && i >= leading && (i - leading + 1) % step == 0;
    };
    for (int64_t begin = 0, i = 1; i <= count; ++i) {
      if (i < count && isSparse(i) == isSparse(begin))
        continue;
      model.layers.push_back(
          {isSparse(begin) ? sparse : dense, "model.layers", begin, i - begin});
      begin = i;
    }
  }

  ConfigObject &config;
  int64_t hidden;
  NormKind normKind;
  double epsilon;
  bool bias;
  bool isGated;
  Activation activation;
};

} // namespace

ModelSpec readTransformer(ConfigObject &config) {
  return TransformerReader(config).read();
}

} // namespace shardsmith::huggingface
