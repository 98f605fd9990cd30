// SPDX-License-Identifier: Apache-2.0
//
// A chain of blocks as runtimes for transformers see it: what makes tokens to
// vectors, equal layers, and what makes vectors to a loss.
//
//     embedding ─▶ layer 0 ─▶ … ─▶ layer L − 1 ─▶ head
//     units 0 …    firstLayer …                   endLayers …

#ifndef SHARDSMITH_LIB_EMIT_TRANSFORMER_H
#define SHARDSMITH_LIB_EMIT_TRANSFORMER_H

#include "shardsmith/Strategy/Strategy.h"

#include <optional>

namespace shardsmith::emit {

/// What one pipeline stage holds.
struct StageContent {
  bool hasEmbedding = false, hasHead = false;
  /// Layers [first, end), counted from the first layer of the model.
  int64_t firstLayer = 0, endLayer = 0;

  int64_t layers() const { return endLayer - firstLayer; }
};

class Transformer {
public:
  /// Nothing if the workload is no such chain; `why` says what is in the way.
  static std::optional<Transformer> of(const workload::Workload &workload,
                                       std::string &why);

  int64_t layers() const { return endLayers - firstLayer; }
  bool isLayer(int64_t unit) const {
    return firstLayer <= unit && unit < endLayers;
  }
  bool isHead(int64_t unit) const { return unit >= endLayers; }

  /// Per stage. Nothing if a stage begins or ends inside embedding or head.
  std::optional<std::vector<StageContent>>
  contents(const std::vector<Stage> &stages) const;

private:
  int64_t firstLayer = 0, endLayers = 0, units = 0;
};

/// Why a workload is no such chain, as an obstacle; empty if it is one.
std::string transformerObstacle(const workload::Workload &workload);

/// A layer has attention.
bool hasAttention(const workload::Block &block);

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_TRANSFORMER_H
