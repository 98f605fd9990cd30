// SPDX-License-Identifier: Apache-2.0

#include "Transformer.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::emit {

bool hasAttention(const workload::Block &block) {
  return std::ranges::any_of(block.ops, [](const workload::Op &op) {
    return op.attention.has_value();
  });
}

std::optional<Transformer> Transformer::of(const workload::Workload &workload,
                                           std::string &why) {
  Transformer chain;
  bool hasLayers = false;
  int64_t unit = 0;
  for (const workload::Segment &segment : workload.segments) {
    const workload::Block &block = workload.blocks[segment.block];
    if (hasAttention(block)) {
      if (hasLayers && unit != chain.endLayers) {
        why = fmt::format("block \"{}\" stands between layers", block.name);
        return std::nullopt;
      }
      if (block.inputs.size() > 1 || block.outputs.size() > 1) {
        why = "layers hand over more than one tensor";
        return std::nullopt;
      }
      if (!hasLayers)
        chain.firstLayer = unit;
      hasLayers = true;
      chain.endLayers = unit + segment.count;
    }
    unit += segment.count;
  }
  chain.units = unit;
  if (!hasLayers)
    why = "no block of the model has attention";
  else if (chain.firstLayer == 0 || chain.endLayers == unit)
    why = "nothing stands before the first layer, or behind the last one";
  else
    return chain;
  return std::nullopt;
}

std::string transformerObstacle(const workload::Workload &workload) {
  std::string why;
  if (Transformer::of(workload, why))
    return "";
  return "this model, which is no chain of equal layers: " + why;
}

std::optional<std::vector<StageContent>>
Transformer::contents(const std::vector<Stage> &stages) const {
  std::vector<StageContent> found;
  for (const Stage &stage : stages) {
    StageContent content;
    content.hasEmbedding = stage.begin < firstLayer;
    content.hasHead = stage.end > endLayers;
    if ((content.hasEmbedding && (stage.begin > 0 || stage.end < firstLayer)) ||
        (content.hasHead && (stage.end < units || stage.begin > endLayers)))
      return std::nullopt;
    auto layerOf = [&](int64_t unit) {
      return std::clamp(unit, firstLayer, endLayers) - firstLayer;
    };
    content.firstLayer = layerOf(stage.begin);
    content.endLayer = layerOf(stage.end);
    found.push_back(content);
  }
  return found;
}

} // namespace shardsmith::emit
