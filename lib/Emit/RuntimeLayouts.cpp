// SPDX-License-Identifier: Apache-2.0

#include "RuntimeLayouts.h"

#include "BlockAdapter.h"
#include "shardsmith/Cost/Step/StepEstimate.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith::emit {

using namespace workload;

namespace {

/// A layout in words: `whole`, `split by dimension 1`, `… of [101, 40]`.
std::string describe(const TensorLayout &layout,
                     const Tensor *tensor = nullptr) {
  if (layout.kind != TensorLayout::Kind::Split)
    return "whole";
  std::string text = fmt::format("split by dimension {}", layout.dim);
  if (tensor)
    text += fmt::format(" of [{}]", fmt::join(tensor->shape, ", "));
  return text;
}

} // namespace

std::optional<int64_t> headColumns(const Workload &workload) {
  const Block &last = workload.blocks[workload.segments.back().block];
  return hasAttention(last) ? std::nullopt : columnsOfHead(last);
}

Strategy withLayoutsOf(const LayoutRules &rules, const EmitInput &input) {
  Strategy strategy = input.strategy();
  if (strategy.tensor == 1)
    return strategy;
  bool isBehindLayers = false;
  std::vector<bool> done(input.workload.blocks.size());
  for (const Segment &segment : input.workload.segments) {
    const Block &block = input.workload.blocks[segment.block];
    isBehindLayers |= hasAttention(block);
    if (done[segment.block])
      continue;
    done[segment.block] = true;
    BlockAdapter adapter(rules, block, unitSetting(strategy),
                         strategy.layouts[segment.block]);
    if (!rules.maySplitPositions || !splitsPositions(input))
      adapter.keepPositionsWhole();
    if (!hasAttention(block) && isBehindLayers)
      adapter.adaptHead();
    else if (!hasAttention(block))
      adapter.adaptEmbedding();
    adapter.adaptParameters();
  }
  return strategy;
}

Strategy withRecomputeInLayersOnly(Strategy strategy,
                                   const Transformer &chain) {
  for (Stage &stage : strategy.stages)
    for (int64_t unit = stage.begin; unit < stage.end; ++unit)
      if (!chain.isLayer(unit))
        stage.recompute[size_t(unit - stage.begin)] = Recompute::None;
  return strategy;
}

std::vector<Change> describeLayoutChanges(const Workload &workload,
                                          const PlanDocument &document,
                                          const Strategy &before,
                                          const Strategy &after) {
  std::vector<Change> changes;
  for (BlockIndex i = 0; i < workload.blocks.size(); ++i) {
    const Block &block = workload.blocks[i];
    if (before.layouts[i] == after.layouts[i])
      continue;
    size_t found = changes.size();
    for (size_t position = 0; position < block.parameters.size(); ++position) {
      TensorIndex tensor = block.parameters[position];
      const TensorLayout &old = before.layouts[i].tensors[tensor];
      const TensorLayout &now = after.layouts[i].tensors[tensor];
      const std::string &name =
          document.layouts[i].parameters[position].names.front();
      if (old != now)
        changes.push_back(
            {fmt::format("{} {}", name, describe(old, &block.tensors[tensor])),
             describe(now)});
    }
    if (changes.size() > found)
      continue;
    if (hasAttention(block))
      changes.push_back({"activations between the matrices of layers split by "
                         "positions",
                         "whole"});
    else
      changes.push_back({fmt::format("the activations of block \"{}\" as they "
                                     "are",
                                     block.name),
                         "otherwise split over the tensor axis"});
  }
  return changes;
}

} // namespace shardsmith::emit
