// SPDX-License-Identifier: Apache-2.0

#include "IdleLayouts.h"

#include "shardsmith/Plan/IdleTable.h"

#include <algorithm>
#include <cmath>

namespace shardsmith::search {

using namespace workload;

namespace {

/// What the units of all blocks may add up to, and what each has at least.
struct Budget {
  double most = 0;
  std::vector<double> least;
  const std::vector<int64_t> &counts;

  /// What a unit of the block may have; less than nothing if others need all.
  double of(size_t block) const {
    double left = most;
    for (size_t other = 0; other < least.size(); ++other)
      if (other != block)
        left -= least[other] * double(counts[other]);
    return left / double(counts[block]);
  }
  /// But for rounding.
  bool isEnough() const {
    double sum = 0;
    for (size_t block = 0; block < least.size(); ++block)
      sum += least[block] * double(counts[block]);
    return sum <= most + std::abs(most) * 1e-9 + 4;
  }
};

} // namespace

IdleLayouts::IdleLayouts(const CostContext &context, const UnitModels &models,
                         const Chain &chain,
                         const SearchConstraints &constraints)
    : context(context), models(models), chain(chain), constraints(constraints),
      counts(context.workload.blocks.size(), 0) {
  for (size_t segment = 0; segment < chain.segments(); ++segment)
    counts[chain.blockOf(segment)] += chain.count(segment);
}

bool IdleLayouts::areMore(const Strategy &outer) const {
  int64_t batches = outer.microBatchCount(context.workload.globalBatch);
  return outer.tensor > 1 && outer.pipeline > 1 && models.pools() == 1 &&
         idleWeights(outer.schedule, outer.pipeline, batches).differ();
}

/// One schedule under one setting.
struct IdleLayouts::Row {
  double batches, ranks, stages, stagesAndIdle;
  /// What all layouts need beside their own time: of a micro-batch on all ranks
  /// together, and after the last one.
  double recompute, communication;
  Nanoseconds tail;
  StepOverhead overhead;
  std::vector<std::unique_ptr<UnitCostModel>> prices;
  std::vector<std::unique_ptr<IdleTable>> tables;

  Row(const CostContext &context, const Strategy &outer,
      const LayoutBound::Least &beside, bool mayRecomputeNothing)
      : batches(double(outer.microBatchCount(context.workload.globalBatch))),
        ranks(double(outer.pipeline)), stages(double(outer.virtualStages)),
        // Otherwise it is within the time of layouts.
        recompute(mayRecomputeNothing ? double(beside.recompute.count()) : 0),
        communication(double(beside.communication.count())),
        tail(beside.totals.tail), overhead(context, outer.rankCount()) {}
};

IdleLayouts::Found IdleLayouts::of(const Strategy &outer,
                                   const Placement &placement,
                                   Nanoseconds least, Nanoseconds most,
                                   const LayoutBound::Least &beside,
                                   const LayoutList &known,
                                   int64_t &effort) const {
  Row row(context, outer, beside,
          constraints.recompute[size_t(Recompute::None)]);
  IdleMeasure measure;
  measure.recompute = constraints.recompute;
  measure.weights =
      idleWeights(outer.schedule, outer.pipeline, int64_t(row.batches));
  auto inIdle = double(measure.weights.backwardInput);
  row.stagesAndIdle = row.batches * row.stages + inIdle;
  measure.weightShare =
      (inIdle - double(measure.weights.backwardWeight)) / row.stagesAndIdle;
  measure.forwardShare =
      (inIdle - double(measure.weights.forward)) / row.stagesAndIdle;
  for (BlockIndex block = 0; block < models.blocks(); ++block) {
    row.prices.emplace_back(new UnitCostModel(models.modelOf(
        models.keyOf(block, 0, outer, placement.links.front()))));
    row.tables.push_back(std::make_unique<IdleTable>(
        *row.prices.back(), models.repeats(block), measure));
  }
  // The nearer the limit is to what is possible at all, the fewer layouts are
  // within it.
  constexpr int attempts = 5;
  Nanoseconds limit = most;
  for (int i = 0; i < attempts && effort > 0; ++i) {
    int64_t before = std::min(effort, classEffort / 16), left = before;
    std::optional<LayoutList> list = within(row, limit, known, left);
    effort -= before - left;
    if (list)
      return {std::move(*list), limit};
    limit = least + Nanoseconds((limit - least).count() / 4);
  }
  return {{}, least - Nanoseconds(1)};
}

std::optional<LayoutList> IdleLayouts::within(const Row &row, Nanoseconds most,
                                              const LayoutList &known,
                                              int64_t &effort) const {
  auto work = double((row.overhead.longestWork(most) - row.tail).count());
  double ofRanks = work * row.ranks / row.batches - row.communication;
  Budget times{ofRanks - row.recompute, {}, counts};
  Budget shares{ofRanks * row.batches * row.stages / row.stagesAndIdle -
                    row.recompute,
                {},
                counts};
  for (const std::unique_ptr<IdleTable> &table : row.tables) {
    times.least.push_back(table->leastTime());
    shares.least.push_back(table->leastShare());
  }
  if (!times.isEnough() || !shares.isEnough())
    return LayoutList();

  PricedTables priced;
  std::vector<std::vector<bool>> isKnown;
  for (size_t block = 0; block < row.tables.size(); ++block) {
    // Some rank has at least the mean of the units.
    double alone = work / row.batches /
                   double(ceilDivide(counts[block], int64_t(row.ranks)));
    auto entries = row.tables[block]->entries(std::min(times.of(block), alone),
                                              shares.of(block), effort);
    if (!entries)
      return std::nullopt;
    if (entries->empty())
      return LayoutList();
    auto table = std::make_shared<PricedTable>();
    table->entries = std::move(*entries);
    isKnown.emplace_back();
    for (const BlockEntry &entry : table->entries) {
      table->costs.push_back({entry.costs});
      isKnown[block].push_back(std::ranges::any_of(
          known.tables[block]->entries, [&](const BlockEntry &other) {
            return other.layout == entry.layout;
          }));
    }
    priced.push_back(std::move(table));
  }
  LayoutList list = joinTables(context.workload, chain, std::move(priced), 1,
                               constraints.recompute);
  std::erase_if(list.layouts, [&](const ChainLayout &layout) {
    for (size_t block = 0; block < isKnown.size(); ++block)
      if (!isKnown[block][layout.entries[block]])
        return false;
    return true;
  });
  return list;
}

} // namespace shardsmith::search
