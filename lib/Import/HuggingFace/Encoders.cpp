// SPDX-License-Identifier: Apache-2.0
//
// Models whose attention sees the whole sequence: BERT, ViT, and T5 with its
// decoder.

#include "Architectures.h"

#include <cmath>
#include <fmt/format.h>

namespace shardsmith::huggingface {
namespace {

/// Attention with projections NAME.query … as BERT and ViT have them.
AttentionSpec readAttention(ConfigObject &config, int64_t hidden,
                            const std::string &name, bool bias,
                            const std::string &output) {
  AttentionSpec spec;
  spec.heads = spec.keyValueHeads = config.size("num_attention_heads");
  spec.headSize = spec.valueSize =
      divided(config, "num_attention_heads", hidden, spec.heads);
  spec.scale = 1 / std::sqrt(static_cast<double>(spec.headSize));
  spec.causal = false;
  spec.inputs =
      SeparateProjections{.query = {name + ".query", hidden, hidden, bias},
                          .key = {name + ".key", hidden, hidden, bias},
                          .value = {name + ".value", hidden, hidden, bias}};
  spec.output = {output, hidden, hidden, true};
  return spec;
}

MlpSpec readMlp(ConfigObject &config, int64_t hidden) {
  int64_t inner = config.size("intermediate_size");
  return {.up = {"intermediate.dense", hidden, inner, true},
          .down = {"output.dense", inner, hidden, true},
          .activation = readActivation(config, "hidden_act", "gelu")};
}

} // namespace

ModelSpec readBert(ConfigObject &config) {
  ModelSpec model;
  model.task = Task::MaskedToken;
  int64_t hidden = model.hidden = config.size("hidden_size");
  model.vocabulary = config.size("vocab_size");
  model.maxPositions = config.size("max_position_embeddings", 512);
  model.positionsAreLimited = true;
  std::string kind = config.text("position_embedding_type", "absolute");
  if (kind != "absolute")
    config.refuseUnsupported("position_embedding_type",
                             "only 'absolute' is supported, got '" + kind +
                                 "'");
  if (config.boolean("is_decoder", false))
    config.refuseUnsupported("is_decoder", "true is not supported");
  double epsilon = config.number("layer_norm_eps", 0, 1e-12);
  auto norm = [&](const std::string &name) {
    return NormSpec{name, NormKind::Layer, hidden, epsilon};
  };
  model.embedding =
      TokenEmbedding{.tokens = "bert.embeddings.word_embeddings.weight",
                     .positions = "bert.embeddings.position_embeddings.weight",
                     .types = "bert.embeddings.token_type_embeddings.weight",
                     .typeCount = config.size("type_vocab_size", 2)};
  model.embeddingNorm = norm("bert.embeddings.LayerNorm");

  LayerSpec layer;
  layer.name = "layer";
  layer.arrangement = Arrangement::NormLast;
  layer.attention = readAttention(config, hidden, "attention.self",
                                  /*bias=*/true, "attention.output.dense");
  layer.attentionNorm = norm("attention.output.LayerNorm");
  layer.feedForward = readMlp(config, hidden);
  layer.feedForwardNorm = norm("output.LayerNorm");
  model.layers = {{layer, "bert.encoder.layer", 0,
                   config.integer("num_hidden_layers", 1, mostLayers)}};

  HeadSpec &head = model.head;
  head.transform = {"cls.predictions.transform.dense", hidden, hidden, true};
  head.transformNorm = norm("cls.predictions.transform.LayerNorm");
  head.activation = readActivation(config, "hidden_act", "gelu");
  bool isTied = config.boolean("tie_word_embeddings", true);
  head.weight = isTied ? "bert.embeddings.word_embeddings.weight"
                       : "cls.predictions.decoder.weight";
  head.bias = "cls.predictions.bias";
  head.outputs = model.vocabulary;
  model.weightNames = {
      .prefix = "bert.",
      .ignored = {"bert.embeddings.position_ids", "bert.pooler.dense.weight",
                  "bert.pooler.dense.bias", "cls.seq_relationship.weight",
                  "cls.seq_relationship.bias"},
      .copies = {{"cls.predictions.decoder.bias", *head.bias}},
      .older = {{"LayerNorm.gamma", "LayerNorm.weight"},
                {"LayerNorm.beta", "LayerNorm.bias"}}};
  if (isTied)
    model.weightNames.copies.emplace_back("cls.predictions.decoder.weight",
                                          head.weight);
  return model;
}

ModelSpec readVit(ConfigObject &config) {
  ModelSpec model;
  model.task = Task::ImageClass;
  int64_t hidden = model.hidden = config.size("hidden_size");
  PatchEmbedding patches;
  patches.imageSize = config.integer("image_size", 1, 1 << 20, 224);
  patches.patchSize = config.integer("patch_size", 1, patches.imageSize, 16);
  divided(config, "patch_size", patches.imageSize, patches.patchSize);
  patches.channels = config.integer("num_channels", 1, 1 << 16, 3);
  patches.projection = "vit.embeddings.patch_embeddings.projection";
  patches.classToken = "vit.embeddings.cls_token";
  patches.positions = "vit.embeddings.position_embeddings";
  model.embedding = patches;
  double epsilon = config.number("layer_norm_eps", 0, 1e-12);
  auto norm = [&](const std::string &name) {
    return NormSpec{name, NormKind::Layer, hidden, epsilon};
  };

  LayerSpec layer;
  layer.name = "layer";
  layer.attention =
      readAttention(config, hidden, "attention.attention",
                    config.boolean("qkv_bias", true), "attention.output.dense");
  layer.attentionNorm = norm("layernorm_before");
  layer.feedForward = readMlp(config, hidden);
  layer.feedForwardNorm = norm("layernorm_after");
  model.layers = {{layer, "vit.encoder.layer", 0,
                   config.integer("num_hidden_layers", 1, mostLayers)}};

  model.head.norm = norm("vit.layernorm");
  model.head.weight = "classifier.weight";
  model.head.bias = "classifier.bias";
  const nlohmann::json *labels = config.nested("id2label");
  int64_t labelCount = labels && labels->is_object() && !labels->empty()
                           ? static_cast<int64_t>(labels->size())
                           : 1000;
  model.head.outputs = config.size("num_labels", labelCount);
  model.weightNames = {
      .prefix = "vit.",
      .ignored = {"vit.pooler.dense.weight", "vit.pooler.dense.bias"}};
  return model;
}

//===----------------------------------------------------------------------===//
// T5
//===----------------------------------------------------------------------===//

namespace {

class T5Reader {
public:
  explicit T5Reader(ConfigObject &config)
      : config(config), hidden(config.size("d_model")),
        heads(config.size("num_heads")), headSize(config.size("d_kv", 64)),
        epsilon(config.number("layer_norm_epsilon", 0, 1e-6)) {}

  ModelSpec read() {
    ModelSpec model;
    model.task = Task::SequenceToSequence;
    model.hidden = hidden;
    model.vocabulary = config.size("vocab_size");
    model.maxPositions = config.size("n_positions", 512);
    model.embedding = TokenEmbedding{.tokens = "shared.weight"};
    int64_t depth = config.integer("num_layers", 1, mostLayers);
    model.encoder = {
        {layer("encoder", /*isDecoder=*/false), "encoder.block", 0, depth}};
    model.encoderNorm = norm("encoder.final_layer_norm");
    model.layers = {
        {layer("decoder", /*isDecoder=*/true), "decoder.block", 0,
         config.integer("num_decoder_layers", 1, mostLayers, depth)}};

    HeadSpec &head = model.head;
    head.norm = norm("decoder.final_layer_norm");
    head.outputs = model.vocabulary;
    head.weight = "lm_head.weight";
    model.weightNames = {
        .ignored = {"decoder.block.0.layer.1.EncDecAttention."
                    "relative_attention_bias.weight"},
        .copies = {{"encoder.embed_tokens.weight", "shared.weight"},
                   {"decoder.embed_tokens.weight", "shared.weight"}}};
    bool isTied = config.boolean("tie_word_embeddings", true);
    if (isTied) {
      head.weight = "shared.weight";
      model.weightNames.copies.emplace_back("lm_head.weight", head.weight);
    }
    if (config.boolean("scale_decoder_outputs", isTied))
      head.scale = 1 / std::sqrt(static_cast<double>(hidden));
    return model;
  }

private:
  NormSpec norm(const std::string &name) const {
    return {name, NormKind::Rms, hidden, epsilon};
  }

  AttentionSpec attention(const std::string &name, bool isCausal) const {
    int64_t width = heads * headSize;
    AttentionSpec spec;
    spec.heads = spec.keyValueHeads = heads;
    spec.headSize = spec.valueSize = headSize;
    spec.causal = isCausal;
    spec.inputs = SeparateProjections{.query = {name + ".q", hidden, width},
                                      .key = {name + ".k", hidden, width},
                                      .value = {name + ".v", hidden, width}};
    spec.output = {name + ".o", width, hidden};
    return spec;
  }

  LayerSpec layer(const std::string &stack, bool isDecoder) {
    LayerSpec spec;
    spec.name = stack + "_layer";
    spec.attentionNorm = norm("layer.0.layer_norm");
    spec.attention = attention("layer.0.SelfAttention", isDecoder);
    int64_t buckets =
        config.integer("relative_attention_num_buckets", 4, 1 << 20, 32);
    spec.attention.relativeBias = RelativeBiasSpec{
        .table = stack + ".block.0.layer.0.SelfAttention."
                         "relative_attention_bias.weight",
        .buckets = buckets,
        .maxDistance = config.integer("relative_attention_max_distance",
                                      buckets, largestSize, 128)};
    if (isDecoder)
      spec.cross = {norm("layer.1.layer_norm"),
                    attention("layer.1.EncDecAttention", /*isCausal=*/false)};
    std::string last = isDecoder ? "layer.2." : "layer.1.";
    spec.feedForwardNorm = norm(last + "layer_norm");
    spec.feedForward = mlp(last + "DenseReluDense");
    return spec;
  }

  MlpSpec mlp(const std::string &name) {
    int64_t inner = config.size("d_ff");
    std::string kind = config.text("feed_forward_proj", "relu");
    if (kind == "relu")
      return {.up = {name + ".wi", hidden, inner},
              .down = {name + ".wo", inner, hidden},
              .activation = Activation::Relu};
    if (kind != "gated-gelu")
      config.refuseUnsupported("feed_forward_proj",
                               "only 'relu' and 'gated-gelu' are supported, "
                               "got '" +
                                   kind + "'");
    return {.gate = LinearSpec{name + ".wi_0", hidden, inner},
            .up = {name + ".wi_1", hidden, inner},
            .down = {name + ".wo", inner, hidden},
            .activation = Activation::GeluTanh};
  }

  ConfigObject &config;
  int64_t hidden;
  int64_t heads;
  int64_t headSize;
  double epsilon;
};

} // namespace

ModelSpec readT5(ConfigObject &config) { return T5Reader(config).read(); }

} // namespace shardsmith::huggingface
