// SPDX-License-Identifier: Apache-2.0
//
// What every family of models has in common. Readers of configurations fill
// a ModelSpec, builders of ops read it, and neither knows the other: a new
// family is a new reader, not a new case in a builder.
//
//     config.json ──reader──▶ ModelSpec ──builder──▶ StableHLO
//
// Each part names its own parameters, relative to the layer it is in
// (`self_attn.q_proj`), as checkpoints of its family do.

#ifndef SHARDSMITH_LIB_IMPORT_HUGGINGFACE_MODELSPEC_H
#define SHARDSMITH_LIB_IMPORT_HUGGINGFACE_MODELSPEC_H

#include "shardsmith/Dialect/Smith/WeightNames.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace shardsmith::huggingface {

enum class Activation { Relu, Gelu, GeluTanh, Silu, Tanh };

/// `NAME.weight` and, with a bias, `NAME.bias`.
struct LinearSpec {
  std::string name = {};
  int64_t inputs = 0;
  int64_t outputs = 0;
  bool bias = false;
  /// The weight is [inputs, outputs] (GPT-2), not [outputs, inputs].
  bool inputsFirst = false;
};

enum class NormKind { Layer, Rms };

/// `NAME.weight` and, for Layer, `NAME.bias`.
struct NormSpec {
  std::string name = {};
  NormKind kind = NormKind::Rms;
  int64_t size = 0;
  double epsilon = 1e-5;
};

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

struct RotarySpec {
  /// Leading channels of a head that rotate; the rest passes through.
  int64_t size = 0;
  /// Angle per position of each pair of channels: size / 2 numbers.
  std::vector<float> frequencies = {};
  /// What sines and cosines are multiplied by (YaRN).
  double magnitude = 1.0;
  /// Pairs are neighbours (2i, 2i + 1), not halves (i, i + size / 2).
  bool interleaved = false;
};

/// T5's learned bias per head and bucket of distances, one table for all
/// layers of a stack.
struct RelativeBiasSpec {
  /// Full name of the parameter, a [buckets, heads] tensor.
  std::string table = {};
  int64_t buckets = 0;
  int64_t maxDistance = 0;
};

struct SeparateProjections {
  LinearSpec query = {}, key = {}, value = {};
  /// Norms of each head's queries and keys (Qwen 3).
  std::optional<NormSpec> queryNorm = std::nullopt, keyNorm = std::nullopt;
};

/// One product for queries, keys and values, with as many heads of each. Its
/// outputs are [3, heads, size] or [heads, 3, size].
struct FusedProjection {
  LinearSpec all = {};
  bool headsFirst = false;
};

/// DeepSeek's attention: queries, and keys with values, come from two narrow
/// ("latent") vectors; one rotated key is shared by all heads.
struct LatentProjections {
  /// Without `queryDown` queries are made of the input directly.
  std::optional<LinearSpec> queryDown = std::nullopt;
  std::optional<NormSpec> queryNorm = std::nullopt;
  LinearSpec queryUp = {};
  /// Outputs: the latent vector, then the shared rotated key.
  LinearSpec keyValueDown = {};
  NormSpec keyValueNorm = {};
  /// Outputs per head: the key's plain part, then the value.
  LinearSpec keyValueUp = {};
  int64_t plainSize = 0;
  int64_t rotatedSize = 0;
};

struct AttentionSpec {
  std::variant<SeparateProjections, FusedProjection, LatentProjections> inputs =
      {};
  LinearSpec output = {};
  int64_t heads = 0;
  int64_t keyValueHeads = 0;
  /// Channels of a head of queries and keys, and of values.
  int64_t headSize = 0;
  int64_t valueSize = 0;
  double scale = 1.0;
  bool causal = true;
  std::optional<RotarySpec> rotary = std::nullopt;
  std::optional<RelativeBiasSpec> relativeBias = std::nullopt;
};

//===----------------------------------------------------------------------===//
// Feed-forward parts
//===----------------------------------------------------------------------===//

struct MlpSpec {
  /// With a gate: down(activation(gate(x)) · up(x)).
  std::optional<LinearSpec> gate = std::nullopt;
  LinearSpec up = {}, down = {};
  Activation activation = Activation::Silu;
};

/// Routing of DeepSeek-V3: sigmoid scores, chosen with a correction that
/// keeps experts equally busy, from the best groups of experts only.
struct GroupedRouting {
  std::string correction = {};
  int64_t groups = 1;
  int64_t groupsKept = 1;
};

/// The names `gate`, `up` and `down` are of tensors [count, inputs, outputs]:
/// the experts' matrices, stacked.
struct ExpertsSpec {
  LinearSpec router = {};
  /// Without it: softmax scores.
  std::optional<GroupedRouting> grouped = std::nullopt;
  int64_t count = 0;
  int64_t perToken = 0;
  /// Weights of the chosen experts are divided by their sum.
  bool normalizes = true;
  double weightFactor = 1.0;
  std::optional<std::string> gate = std::nullopt;
  std::string up = {}, down = {};
  int64_t hidden = 0;
  int64_t inner = 0;
  Activation activation = Activation::Silu;
  /// What every token goes through as well.
  std::optional<MlpSpec> shared = std::nullopt;
};

//===----------------------------------------------------------------------===//
// Layers and models
//===----------------------------------------------------------------------===//

enum class Arrangement {
  /// x + f(norm(x)), part after part.
  NormFirst,
  /// norm(x + f(x)).
  NormLast,
  /// x + attention(norm(x)) + feedForward(norm'(x)).
  Parallel,
};

struct CrossAttentionSpec {
  NormSpec norm = {};
  AttentionSpec attention = {};
};

struct LayerSpec {
  /// Name of its function; layers of one name are equal.
  std::string name = {};
  Arrangement arrangement = Arrangement::NormFirst;
  NormSpec attentionNorm = {};
  AttentionSpec attention = {};
  /// Reads the encoder's output.
  std::optional<CrossAttentionSpec> cross = std::nullopt;
  NormSpec feedForwardNorm = {};
  std::variant<MlpSpec, ExpertsSpec> feedForward = {};
};

/// `count` equal layers; parameters of layer i are below `PREFIX.i.`, where i
/// counts from `first`.
struct LayerRun {
  LayerSpec layer = {};
  std::string prefix = {};
  int64_t first = 0;
  int64_t count = 0;
};

struct TokenEmbedding {
  /// A [vocabulary, hidden] tensor.
  std::string tokens = {};
  /// A [maxPositions, hidden] tensor, if positions are learned.
  std::optional<std::string> positions = std::nullopt;
  /// A [typeCount, hidden] tensor, whose first row is added to all tokens.
  std::optional<std::string> types = std::nullopt;
  int64_t typeCount = 0;
};

/// Square patches of an image, a learned token in front of them.
struct PatchEmbedding {
  int64_t imageSize = 0;
  int64_t patchSize = 0;
  int64_t channels = 0;
  std::string projection = {};
  std::string classToken = {};
  std::string positions = {};

  int64_t patchesPerSide() const { return imageSize / patchSize; }
};

struct HeadSpec {
  std::optional<NormSpec> norm = std::nullopt;
  /// BERT: x = norm(activation(linear(x))) before the scores.
  std::optional<LinearSpec> transform = std::nullopt;
  std::optional<NormSpec> transformNorm = std::nullopt;
  Activation activation = Activation::Gelu;
  /// Full name of the [outputs, hidden] tensor; that of the embedding if tied.
  std::string weight = {};
  std::optional<std::string> bias = std::nullopt;
  int64_t outputs = 0;
  /// What the scores are multiplied by (T5).
  double scale = 1.0;
};

enum class Task {
  /// Scores of the next token at each position.
  NextToken,
  /// Scores of the token at each position.
  MaskedToken,
  /// Scores of the class, from the first position.
  ImageClass,
  /// NextToken of a decoder that reads an encoder's output.
  SequenceToSequence,
};

struct ModelSpec {
  std::string name = {};
  Task task = Task::NextToken;
  int64_t hidden = 0;
  int64_t vocabulary = 0;
  /// Longest sequence: a limit if positions are learned, else advice.
  int64_t maxPositions = 0;
  bool positionsAreLimited = false;
  /// Positions an attention sees; such layers are right only within it.
  std::optional<int64_t> window = std::nullopt;
  std::variant<TokenEmbedding, PatchEmbedding> embedding = {};
  std::optional<NormSpec> embeddingNorm = std::nullopt;
  /// SequenceToSequence only.
  std::vector<LayerRun> encoder = {};
  std::optional<NormSpec> encoderNorm = std::nullopt;
  std::vector<LayerRun> layers = {};
  HeadSpec head = {};
  /// What checkpoints hold beside the parameters that the parts name.
  smith::WeightNames weightNames = {};
};

} // namespace shardsmith::huggingface

#endif // SHARDSMITH_LIB_IMPORT_HUGGINGFACE_MODELSPEC_H
