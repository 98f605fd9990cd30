// SPDX-License-Identifier: Apache-2.0

#include "SearchViewParts.h"

#include "shardsmith/Plan/Blocks/BlockBounds.h"

#include <set>
#include <tuple>

namespace shardsmith::search {

using namespace workload;

namespace {

/// `2 over memory`, or `4 over nvlink 2, ib 2` with the parts that each level
/// joins.
std::string linksOf(const GroupPath &path) {
  if (path.levels.size() == 1)
    return fmt::format("{} over {}", path.members, path.levels.front().link);
  return fmt::format("{} over {}", path.members,
                     joined(path.levels, [](const PathLevel &level) {
                       return fmt::format("{} {}", level.link, level.fanout);
                     }));
}

class BlocksView {
public:
  BlocksView(const CostContext &context, const SearchConstraints &constraints)
      : parts(context, constraints), workload(context.workload) {}

  std::string take() {
    for (const ParallelConfiguration &degrees : parts.configurations)
      parts.eachPlacement(
          degrees, [&](const Strategy &outer, const Placement &placement) {
            for (BlockIndex block = 0; block < parts.models.blocks(); ++block)
              for (unsigned pool = 0; pool < parts.models.pools(); ++pool)
                keys.insert(parts.models.keyOf(block, pool, outer,
                                               placement.links[pool]));
          });
    text.line("blocks: {} settings for {} configurations", keys.size(),
              parts.configurations.size());
    size_t listed = 0;
    for (const UnitKey &key : keys)
      if (listed++ < mostListed)
        addSetting(key);
    if (listed > mostListed)
      text.line("and {} more settings", listed - mostListed);
    return text.take();
  }

private:
  /// Settings in the order of blocks.
  struct ByBlock {
    bool operator()(const UnitKey &a, const UnitKey &b) const {
      return std::tie(a.block, a) < std::tie(b.block, b);
    }
  };

  std::string settingOf(const UnitKey &key) {
    std::string setting = fmt::format("micro-batch={}", key.microBatch);
    for (size_t axis = 0; axis < unitAxes<int64_t>.size(); ++axis)
      if (int64_t ranks = key.numbers()[axis]; ranks > 1)
        setting += fmt::format(" {}={}", unitAxes<int64_t>[axis].first, ranks);
    if (std::string_view method = methodOf(key); !method.empty())
      setting += fmt::format(" {}", method);
    if (parts.models.pools() > 1)
      setting += fmt::format(" pool={}", key.pool);
    for (const auto &[name, link] : unitAxes<uint32_t>)
      if (uint32_t number = key.links.*link)
        setting += fmt::format(
            ", {} {}", name,
            joined(parts.placements.paths(number).paths(), linksOf));
    return setting;
  }

  void addSetting(const UnitKey &key) {
    const Block &block = workload.blocks[key.block];
    bool repeats = parts.models.repeats(key.block);
    UnitCostModel model = parts.models.modelOf(key);
    std::vector<BlockEntry> entries = blockTable(model, repeats);
    text.line("{} with {}: {} layouts", nameOfBlock(workload, key.block),
              settingOf(key), entries.size());
    addBounds(model, repeats);
    size_t number = 0;
    for (const BlockEntry &entry : entries)
      addEntry(block, number++, entry);
  }

  /// What any layout takes at least, found without the table.
  void addBounds(const UnitCostModel &model, bool repeats) {
    BlockBounds bounds(repeats);
    BlockBounds::Common common;
    Nanoseconds fastest = bounds.fastest(model, Recompute::None, common);
    text.line("  bounds: ops alone {}, fastest layout {}",
              textOf(model.leastOps()), textOf(fastest));
    UnitCosts most = mostMemory(model, repeats);
    text.line("  at most: saves {}, transient {}, sends {}",
              most.saved[size_t(Recompute::None)].count(),
              most.transient.count(), most.outputBytes.count());
  }

  void addEntry(const Block &block, size_t number, const BlockEntry &entry) {
    auto layoutOf = [](const TensorLayout &layout) { return textOf(layout); };
    text.line("  layout {}: takes ({}), hands on ({})", number,
              joined(entry.inputs, layoutOf), joined(entry.outputs, layoutOf));
    std::vector<std::string> splits;
    for (OpIndex op = 0; op < block.ops.size(); ++op)
      if (std::optional<FactorIndex> factor = entry.layout.ops[op].factor)
        splits.push_back(fmt::format("{} by {}", block.ops[op].name,
                                     block.ops[op].factors[*factor].name));
    if (!splits.empty())
      text.line("    splits {}", joined(splits, std::identity()));
    addCosts(entry.costs);
  }

  void addCosts(const UnitCosts &costs) {
    text.line("    time: forward {}, backward {} + {}, recompute {} or {}",
              costs.forward.count(), costs.backwardInput.count(),
              costs.backwardWeight.count(),
              costs.recompute[size_t(Recompute::Selective)].count(),
              costs.recompute[size_t(Recompute::Full)].count());
    for (const auto &[name, axis] : unitAxes<Nanoseconds>) {
      Nanoseconds forward = costs.forwardCommunication.*axis,
                  backward = costs.backwardCommunication.*axis;
      if (forward + backward > Nanoseconds())
        text.line("    {} exchanges: forward {}, backward {}", name,
                  forward.count(), backward.count());
    }
    text.line("    memory: saves {}, {} or {}, transient {}, sends {}",
              costs.saved[size_t(Recompute::None)].count(),
              costs.saved[size_t(Recompute::Selective)].count(),
              costs.saved[size_t(Recompute::Full)].count(),
              costs.transient.count(), costs.outputBytes.count());
    text.line("    parameters: {} dense, {} of experts, {} summed over tensor",
              costs.denseParameters, costs.expertParameters,
              costs.partialParameters);
    for (const SharedParameters &shared : costs.shared)
      text.line("    shares: {} dense, {} of experts, {} summed over tensor",
                shared.dense, shared.expert, shared.partial);
  }

  SearchParts parts;
  const Workload &workload;
  std::set<UnitKey, ByBlock> keys;
  ViewText text;
};

} // namespace

std::string showBlocks(const CostContext &context,
                       const SearchConstraints &constraints) {
  return BlocksView(context, constraints).take();
}

} // namespace shardsmith::search
