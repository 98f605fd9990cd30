// SPDX-License-Identifier: Apache-2.0

#include "IdleLayouts.h"

#include "shardsmith/Plan/Blocks/IdleTable.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace shardsmith::search {

using namespace workload;

namespace {

/// A limit of a sum over all units, with the least that a unit of each block
/// adds to it.
struct Budget {
  double most = 0;
  std::vector<double> least;
  const std::vector<int64_t> &counts;

  /// The limit that is left for a unit of the block; negative if the other
  /// blocks need more than all.
  double of(size_t block) const {
    double left = most;
    for (size_t other = 0; other < least.size(); ++other)
      if (other != block)
        left -= least[other] * double(counts[other]);
    return left / double(counts[block]);
  }
  /// The tolerance for rounding.
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
                         const SearchConstraints &constraints,
                         const std::function<bool()> &mustStop)
    : context(context), models(models), chain(chain), constraints(constraints),
      mustStop(mustStop) {}

bool IdleLayouts::areWithinLimits(const Strategy &outer,
                                  const Placement &placement) const {
  for (BlockIndex block = 0; block < models.blocks(); ++block)
    if (!isWithinLimits(
            models.modelOf(models.keyOf(block, 0, outer, placement.links[0])),
            models.repeats(block)))
      return false;
  return true;
}

IdleLayouts::Reasons IdleLayouts::reasons(const Strategy &outer) const {
  if (outer.tensor == 1)
    return {};
  int64_t batches = outer.microBatchCount(context.workload.globalBatch);
  bool passesDiffer =
      outer.pipeline > 1 &&
      idleWeights(outer.schedule, outer.pipeline, outer.virtualStages, batches)
          .differ();
  return {passesDiffer, outer.zeroStage >= 2};
}

IdleLayouts::Reasons
IdleLayouts::reasons(const VariantBounds::OpenVariant &variant,
                     const ExposedExchange &waiting,
                     const StepModel::Totals &least,
                     const PoolSequences &sequences, Nanoseconds most) const {
  Reasons reasons = this->reasons(variant.outer);
  if (!reasons.exchange)
    return reasons;
  Nanoseconds handedOn, shared;
  for (const std::vector<unsigned> &pools : sequences) {
    PipelineLinks links(context.topology, variant.outer, pools);
    handedOn = std::max(
        handedOn, waiting.mostHandedOn(variant.model, variant.outer, links));
    shared = std::max(shared, waiting.mostShared(variant.model, links));
  }
  reasons.exchange = waiting.mayExceed(most, variant.model, variant.outer,
                                       least, handedOn, shared);
  return reasons;
}

class IdleLayouts::Tables {
public:
  Tables(const IdleLayouts &layouts, const Strategy &outer, Reasons reasons,
         const Placement &placement, const PoolSequences &sequences)
      : unitModels(layouts.models), batches(double(outer.microBatchCount(
                                        layouts.context.workload.globalBatch))),
        stages(batches * double(outer.virtualStages)), ranks(outer.pipeline),
        overhead(layouts.context, outer.rankCount()),
        pools(poolsOf(sequences)) {
    models.resize(layouts.models.pools());
    for (unsigned pool = 0; pool < models.size(); ++pool)
      for (BlockIndex block = 0; block < layouts.models.blocks(); ++block)
        models[pool].emplace_back(new UnitCostModel(layouts.models.modelOf(
            layouts.models.keyOf(block, pool, outer, placement.links[pool]))));
    setWeights(layouts, sequences);

    IdleWeights weights = idleWeights(outer.schedule, outer.pipeline,
                                      outer.virtualStages, int64_t(batches));
    for (size_t i = 0; i < pools.size(); ++i) {
      double asRanks = stages * double(ranks) * kindWeights[i] / weightOfRanks;
      shares.push_back(IdleShares::of(weights, asRanks));
    }
    for (BlockIndex block = 0;
         block < layouts.models.blocks() && !layouts.mustStop(); ++block) {
      std::vector<IdleTable::Kind> kinds;
      for (size_t i = 0; i < pools.size(); ++i)
        kinds.push_back({models[pools[i]][block].get(),
                         {weights, shares[i], layouts.models.waysOf(block),
                          reasons.exchange}});
      blocks.push_back(
          std::make_unique<IdleTable>(kinds, layouts.models.repeats(block)));
    }
  }

  /// Per pool.
  std::vector<UnitCosts> costsOf(size_t block,
                                 const BlockLayout &layout) const {
    std::vector<UnitCosts> costs;
    for (const auto &onPool : models)
      costs.push_back(
          unitModels.inPlans(BlockIndex(block), onPool[block]->price(layout)));
    return costs;
  }

  const UnitModels &unitModels;
  double batches;
  /// Of a rank, in all micro-batches.
  double stages;
  int64_t ranks;
  StepOverhead overhead;
  /// The pools that ranks may lie on.
  std::vector<unsigned> pools;
  /// Per one of these: how much a nanosecond on it counts, λ, and with idle
  /// ones.
  std::vector<double> kindWeights;
  std::vector<IdleShares> shares;
  /// Λ, at most.
  double weightOfRanks = 0;
  std::vector<std::unique_ptr<IdleTable>> blocks;

private:
  static std::vector<unsigned> poolsOf(const PoolSequences &sequences) {
    std::set<unsigned> pools;
    for (const std::vector<unsigned> &sequence : sequences)
      pools.insert(sequence.begin(), sequence.end());
    return {pools.begin(), pools.end()};
  }

  /// All weights give valid bounds. These make ranks count by their speed.
  void setWeights(const IdleLayouts &layouts, const PoolSequences &sequences) {
    const std::vector<int64_t> &counts = layouts.chain.unitsOfBlocks();
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < pools.size(); ++i) {
      double time = 1;
      for (size_t block = 0; block < counts.size(); ++block)
        time += double(counts[block]) *
                double(models[pools[i]][block]->leastOps().count());
      kindWeights.push_back(time);
      least = std::min(least, time);
    }
    for (double &weight : kindWeights)
      weight = least / weight;
    for (const std::vector<unsigned> &sequence : sequences) {
      double sum = 0;
      for (unsigned pool : sequence)
        sum +=
            kindWeights[size_t(std::ranges::find(pools, pool) - pools.begin())];
      weightOfRanks = std::max(weightOfRanks, sum);
    }
  }

  /// Per pool and block.
  std::vector<std::vector<std::unique_ptr<UnitCostModel>>> models;
};

std::shared_ptr<IdleLayouts::Tables>
IdleLayouts::tablesOf(const Strategy &outer, Reasons reasons,
                      const Placement &placement,
                      const PoolSequences &sequences) const {
  return std::make_shared<Tables>(*this, outer, reasons, placement, sequences);
}

IdleLayouts::Found IdleLayouts::of(Tables &tables, Nanoseconds least,
                                   Nanoseconds most,
                                   const LayoutBound::Least &beside,
                                   const LayoutList &known,
                                   int64_t &effort) const {
  // A limit nearer to the bound has fewer layouts within it.
  constexpr int attempts = 5;
  Nanoseconds limit = most;
  for (int i = 0; i < attempts && effort > 0 && !mustStop(); ++i) {
    int64_t before = std::min(effort, configurationEffort / 2), left = before;
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
  auto work =
      double((tables.overhead.longestWork(most) - beside.totals.tail).count());
  // Where a layout must recompute, that is within its time.
  double recompute = constraints.recompute[size_t(Recompute::None)]
                         ? double(beside.recompute.count())
                         : 0;
  auto communication = double(beside.communication.count());
  size_t kinds = tables.pools.size();
  double leastWeight = std::ranges::min(tables.kindWeights);
  double leastTimes = std::numeric_limits<double>::infinity();
  for (const IdleShares &shares : tables.shares)
    leastTimes = std::min(leastTimes, shares.times);

  // Of λ · time, and of the sum of all shares, each times its factor.
  const std::vector<int64_t> &counts = chain.unitsOfBlocks();
  Budget times{work / tables.batches * tables.weightOfRanks -
                   leastWeight * (communication + recompute),
               {},
               counts};
  Budget shares{work * tables.stages / tables.batches * double(tables.ranks) -
                    tables.stages * double(tables.ranks) * leastWeight /
                        tables.weightOfRanks * communication -
                    leastTimes * recompute,
                {},
                counts};
  for (const std::unique_ptr<IdleTable> &table : tables.blocks) {
    double time = std::numeric_limits<double>::infinity(), share = time;
    std::vector<IdleTable::Amounts> least = table->least();
    for (size_t kind = 0; kind < kinds; ++kind) {
      time = std::min(time, tables.kindWeights[kind] * least[kind].time);
      share = std::min(share, tables.shares[kind].times * least[kind].share);
    }
    times.least.push_back(time);
    shares.least.push_back(share);
  }
  if (!times.isEnough() || !shares.isEnough())
    return LayoutList();

  PricedTables priced;
  for (size_t block = 0; block < tables.blocks.size(); ++block) {
    std::vector<IdleTable::Amounts> limits;
    for (size_t kind = 0; kind < kinds; ++kind)
      limits.push_back({times.of(block) / tables.kindWeights[kind],
                        shares.of(block) / tables.shares[kind].times});
    // Some rank has at least the mean of the units.
    if (kinds == 1)
      limits.front().time =
          std::min(limits.front().time,
                   work / tables.batches /
                       double(ceilDivide(counts[block], tables.ranks)));
    auto entries = tables.blocks[block]->entries(limits, effort, mustStop);
    if (!entries)
      return std::nullopt;
    if (entries->empty())
      return LayoutList();
    auto table = std::make_shared<PricedTable>();
    table->entries = std::move(*entries);
    for (const BlockEntry &entry : table->entries) {
      table->costs.push_back(tables.costsOf(block, entry.layout));
      table->isKnown.push_back(std::ranges::any_of(
          known.tableOf(block).entries, [&](const BlockEntry &other) {
            return other.layout == entry.layout;
          }));
    }
    priced.push_back(std::move(table));
  }
  return LayoutList(context.workload, chain, std::move(priced), models.pools(),
                    constraints.recompute, noRoom);
}

} // namespace shardsmith::search
