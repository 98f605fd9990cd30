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
    : context(context), models(models), chain(chain), constraints(constraints) {
}

bool IdleLayouts::areMore(const Strategy &outer) const {
  int64_t batches = outer.microBatchCount(context.workload.globalBatch);
  return outer.tensor > 1 && outer.pipeline > 1 && models.pools() == 1 &&
         idleWeights(outer.schedule, outer.pipeline, batches).differ();
}

class IdleLayouts::Tables {
public:
  Tables(const IdleLayouts &layouts, const Strategy &outer,
         const Placement &placement)
      : batches(double(
            outer.microBatchCount(layouts.context.workload.globalBatch))),
        ranks(double(outer.pipeline)),
        stages(batches * double(outer.virtualStages)),
        overhead(layouts.context, outer.rankCount()) {
    IdleMeasure measure;
    measure.recompute = layouts.constraints.recompute;
    measure.weights =
        idleWeights(outer.schedule, outer.pipeline, int64_t(batches));
    measure.shares = IdleShares::of(measure.weights, stages);
    times = measure.shares.times;
    for (BlockIndex block = 0; block < layouts.models.blocks(); ++block) {
      prices.emplace_back(new UnitCostModel(layouts.models.modelOf(
          layouts.models.keyOf(block, 0, outer, placement.links.front()))));
      blocks.push_back(std::make_unique<IdleTable>(
          *prices.back(), layouts.models.repeats(block), measure));
    }
  }

  double batches, ranks;
  /// Of a rank, in all micro-batches; and with idle ones (IdleShares).
  double stages;
  double times;
  StepOverhead overhead;
  std::vector<std::unique_ptr<IdleTable>> blocks;

private:
  std::vector<std::unique_ptr<UnitCostModel>> prices;
};

std::shared_ptr<IdleLayouts::Tables>
IdleLayouts::tablesOf(const Strategy &outer, const Placement &placement) const {
  return std::make_shared<Tables>(*this, outer, placement);
}

IdleLayouts::Found IdleLayouts::of(Tables &tables, Nanoseconds least,
                                   Nanoseconds most,
                                   const LayoutBound::Least &beside,
                                   const LayoutList &known,
                                   int64_t &effort) const {
  // The nearer the limit is to what is possible at all, the fewer layouts are
  // within it.
  constexpr int attempts = 5;
  Nanoseconds limit = most;
  for (int i = 0; i < attempts && effort > 0; ++i) {
    int64_t before = std::min(effort, classEffort / 2), left = before;
    std::optional<LayoutList> list = within(tables, limit, beside, known, left);
    effort -= before - left;
    if (list)
      return {std::move(*list), limit};
    limit = least + Nanoseconds((limit - least).count() / 4);
  }
  return {{}, least - Nanoseconds(1)};
}

std::optional<LayoutList> IdleLayouts::within(Tables &tables, Nanoseconds most,
                                              const LayoutBound::Least &beside,
                                              const LayoutList &known,
                                              int64_t &effort) const {
  // Where a layout must recompute, that is within its time.
  double recompute = constraints.recompute[size_t(Recompute::None)]
                         ? double(beside.recompute.count())
                         : 0;
  auto work =
      double((tables.overhead.longestWork(most) - beside.totals.tail).count());
  double ofRanks = work * tables.ranks / tables.batches -
                   double(beside.communication.count());
  const std::vector<int64_t> &counts = chain.unitsOfBlocks();
  Budget times{ofRanks - recompute, {}, counts};
  Budget shares{ofRanks * tables.stages / tables.times - recompute, {}, counts};
  for (const std::unique_ptr<IdleTable> &table : tables.blocks) {
    times.least.push_back(table->leastTime());
    shares.least.push_back(table->leastShare());
  }
  if (!times.isEnough() || !shares.isEnough())
    return LayoutList();

  PricedTables priced;
  for (size_t block = 0; block < tables.blocks.size(); ++block) {
    // Some rank has at least the mean of the units.
    double alone = work / tables.batches /
                   double(ceilDivide(counts[block], int64_t(tables.ranks)));
    auto entries = tables.blocks[block]->entries(
        std::min(times.of(block), alone), shares.of(block), effort);
    if (!entries)
      return std::nullopt;
    if (entries->empty())
      return LayoutList();
    auto table = std::make_shared<PricedTable>();
    table->entries = std::move(*entries);
    for (const BlockEntry &entry : table->entries) {
      table->costs.push_back({entry.costs});
      table->isKnown.push_back(std::ranges::any_of(
          known.tableOf(block).entries, [&](const BlockEntry &other) {
            return other.layout == entry.layout;
          }));
    }
    priced.push_back(std::move(table));
  }
  return LayoutList(context.workload, chain, std::move(priced), 1,
                    constraints.recompute);
}

} // namespace shardsmith::search
