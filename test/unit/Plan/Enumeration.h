// SPDX-License-Identifier: Apache-2.0
//
// The space of the search, written down: every strategy of an instance, priced
// by `estimateStep`. No bounds, no sharing, no order but that of the loops.

#ifndef SHARDSMITH_TEST_UNIT_PLAN_ENUMERATION_H
#define SHARDSMITH_TEST_UNIT_PLAN_ENUMERATION_H

#include "shardsmith/Cost/Paths/AxisPaths.h"
#include "shardsmith/Cost/Step/StepEstimate.h"
#include "shardsmith/Plan/Space/SearchConstraints.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <ranges>

namespace shardsmith::testing_search {

using namespace workload;

/// Every strategy of an instance, one after the other.
class Enumeration {
public:
  /// `hasSpread`: those, too, whose data ranks lie on several kinds of device.
  Enumeration(const CostContext &context, const SearchConstraints &constraints,
              bool hasSpread, size_t most)
      : context(context), constraints(constraints), hasSpread(hasSpread),
        most(most) {}

  /// The least step of those that fit; nothing if none does.
  std::optional<Nanoseconds> best;
  Strategy bestStrategy;
  /// And of those on so many devices.
  std::map<int64_t, Nanoseconds> bestOf;
  size_t count = 0;
  /// Is told of every strategy.
  std::function<void(const Strategy &, const StepEstimate &)> visit;

  /// False if there are more than `most`.
  bool run() {
    int64_t devices = context.topology.deviceCount();
    Strategy s;
    for (s.tensor = 1; s.tensor <= devices; ++s.tensor)
      for (s.context = 1; s.tensor * s.context <= devices; ++s.context)
        for (s.pipeline = 1; s.tensor * s.context * s.pipeline <= devices;
             ++s.pipeline)
          for (s.data = 1; s.rankCount() <= devices; ++s.data)
            if (!withDegrees(s))
              return false;
    return true;
  }

private:
  bool withDegrees(Strategy s) {
    if (!constraints.tensor.contains(s.tensor) ||
        !constraints.context.contains(s.context) ||
        !constraints.pipeline.contains(s.pipeline) ||
        !constraints.data.contains(s.data) ||
        s.data > context.workload.globalBatch ||
        s.pipeline > context.workload.unitCount())
      return true;
    int64_t experts = 0;
    for (const Block &block : context.workload.blocks)
      for (const Op &op : block.ops)
        for (const Factor &factor : op.factors)
          if (factor.role == FactorRole::Expert)
            experts = std::gcd(experts, factor.size);
    // As many as divide the experts of every layer.
    for (s.expert = 1; s.expert <= std::max<int64_t>(experts, 1); ++s.expert)
      if (constraints.expert.contains(s.expert) && experts % s.expert == 0 &&
          s.data * s.context % s.expert == 0 && !withExperts(s))
        return false;
    return true;
  }

  bool withExperts(Strategy s) {
    int64_t sequences = ceilDivide(context.workload.globalBatch, s.data);
    for (s.microBatch = 1; s.microBatch <= sequences; ++s.microBatch) {
      if (s.microBatch < sequences &&
          !context.workload.microBatchObstacle.empty())
        continue;
      s.deviceOrder = Strategy().deviceOrder;
      do {
        if (constraints.deviceOrder && s.deviceOrder != constraints.deviceOrder)
          continue;
        for (ContextMethod method :
             {ContextMethod::Ring, ContextMethod::AllToAll}) {
          s.contextMethod = method;
          bool isAllowed = s.context == 1
                               ? method == ContextMethod::Ring
                               : constraints.contextMethods[size_t(method)];
          if (!isAllowed)
            continue;
          if (!withSetting(s))
            return false;
          if (hasSpread && outermost(s) == PlanAxis::Data) {
            Strategy spread = s;
            // With any micro-batches, until they are chosen.
            for (std::vector<DataShare> &shares : replicaPlacements(s)) {
              spread.dataShares = std::move(shares);
              if (!withSetting(spread))
                return false;
            }
          }
        }
      } while (std::ranges::next_permutation(s.deviceOrder).found);
    }
    return true;
  }

  static PlanAxis outermost(const Strategy &s) {
    for (PlanAxis axis : std::views::reverse(s.deviceOrder))
      if (s.degree(axis) > 1)
        return axis;
    return PlanAxis::Tensor;
  }
  static bool isPipelineOutermost(const Strategy &s) {
    return s.pipeline == 1 || outermost(s) == PlanAxis::Pipeline;
  }
  static bool isSpread(const Strategy &s) { return !s.dataShares.empty(); }

  /// One kind has as many ranks as it has room for.
  std::vector<std::vector<DataShare>>
  replicaPlacements(const Strategy &s) const {
    std::vector<std::vector<DataShare>> ways;
    int64_t block = s.rankCount() / s.data;
    int64_t room = context.topology.pools()[0].count() / block;
    int64_t other = context.topology.pools()[1].count() / block;
    for (int64_t ranks = 1; ranks < s.data; ++ranks)
      if (ranks <= room && s.data - ranks <= other &&
          (ranks == room || s.data - ranks == other))
        ways.push_back({{0, ranks, 1}, {1, s.data - ranks, 1}});
    return ways;
  }

  /// All layouts of a block that price differently.
  struct Priced {
    std::vector<TensorLayout> inputs, outputs;
    std::vector<UnitCosts> costs;
    BlockLayout layout;
  };

  /// Whether the user's constraints leave no tensor ranks that keep the
  /// parameter so.
  bool mustBeWhole(BlockIndex block, TensorIndex parameter, TensorLayout layout,
                   int64_t ranks) const {
    if (!constraints.parameterSplits ||
        layout.kind != TensorLayout::Kind::Split)
      return false;
    const std::vector<int64_t> &numbers =
        (*constraints.parameterSplits)[block][parameter];
    return !numbers.empty() && numbers[layout.dim] % ranks != 0;
  }

  std::vector<Priced> layoutsOf(BlockIndex index, int64_t ranks,
                                const std::vector<UnitCostModel> &models) {
    const Block &block = context.workload.blocks[index];
    const BlockShapes &shapes = models.front().shapes();
    BlockLayout layout = unsplitLayout(block);
    std::vector<Priced> found;
    // Few numbers of each, to compare only those that may be equal.
    std::map<std::array<int64_t, 4>, std::vector<size_t>> alike;
    std::function<void(TensorIndex)> chooseTensor = [&](TensorIndex tensor) {
      if (tensor == block.tensors.size()) {
        Priced priced;
        priced.layout = layout;
        for (TensorIndex input : block.inputs)
          priced.inputs.push_back(layout.tensors[input]);
        for (TensorIndex output : block.outputs)
          priced.outputs.push_back(layout.tensors[output]);
        for (const UnitCostModel &model : models)
          priced.costs.push_back(model.price(layout));
        const UnitCosts &first = priced.costs.front();
        std::vector<size_t> &others =
            alike[{first.time(Recompute::None).count(), first.saved[0].count(),
                   first.transient.count(), first.denseParameters}];
        auto isSame = [&](size_t place) {
          const Priced &other = found[place];
          return other.inputs == priced.inputs &&
                 other.outputs == priced.outputs && other.costs == priced.costs;
        };
        if (std::ranges::none_of(others, isSame)) {
          others.push_back(found.size());
          found.push_back(priced);
        }
        return;
      }
      if (block.tensors[tensor].role == TensorRole::Parameter) {
        ReadingSet readings;
        for (OpIndex op = 0; op < block.ops.size(); ++op)
          for (unsigned i = 0; i < block.ops[op].operands.size(); ++i)
            if (block.ops[op].operands[i].tensor == tensor)
              readings.insert(shapes.reading(op, layout.ops[op], i));
        layout.tensors[tensor] = BlockShapes::parameterLayout(readings);
        if (mustBeWhole(index, tensor, layout.tensors[tensor], ranks))
          layout.tensors[tensor] = TensorLayout::whole();
        return chooseTensor(tensor + 1);
      }
      for (TensorLayout kept : shapes.layouts(tensor)) {
        layout.tensors[tensor] = kept;
        chooseTensor(tensor + 1);
      }
    };
    std::function<void(OpIndex)> chooseOp = [&](OpIndex op) {
      if (op == block.ops.size())
        return chooseTensor(0);
      for (OpSplit split : shapes.splits(op)) {
        layout.ops[op] = split;
        chooseOp(op + 1);
      }
    };
    chooseOp(0);
    return found;
  }

  /// Whether there are pools for the ranks, whatever else is decided. Without
  /// nothing would be priced, and so nothing counted.
  bool canBePlaced(const Strategy &s) const {
    if (context.topology.pools().size() == 1 || isSpread(s))
      return true;
    AxisPaths paths(context.topology, s);
    int64_t blocks = isPipelineOutermost(s) ? s.pipeline : 1;
    return blocks <= paths.blocksOn(0) + paths.blocksOn(1);
  }

  bool withSetting(Strategy s) {
    if (!canBePlaced(s))
      return true;
    const Workload &workload = context.workload;
    CollectiveTimes collectives(context.topology.cluster(), context.profile);
    size_t pools = context.topology.pools().size();
    std::vector<KernelTimes> kernels;
    std::vector<UnitSetting> settings;
    for (unsigned pool = 0; pool < pools; ++pool) {
      kernels.emplace_back(context.topology.deviceType(pool), context.profile);
      settings.push_back(unitSetting(context, s, pool));
      settings.back().sequenceParallel = constraints.sequenceParallel;
      settings.back().splitsFeatures = constraints.splitsFeatures;
    }
    std::vector<std::vector<Priced>> layouts;
    for (BlockIndex block = 0; block < workload.blocks.size(); ++block) {
      std::vector<UnitCostModel> models;
      models.reserve(pools);
      for (unsigned pool = 0; pool < pools; ++pool)
        models.emplace_back(workload, block, settings[pool], kernels[pool],
                            collectives);
      layouts.push_back(layoutsOf(block, s.tensor, models));
    }
    std::vector<const Priced *> chosen(workload.blocks.size());
    std::function<bool(BlockIndex)> choose = [&](BlockIndex block) {
      if (block == chosen.size()) {
        std::vector<std::vector<UnitCosts>> prices(pools);
        s.layouts.clear();
        for (const Priced *each : chosen) {
          s.layouts.push_back(each->layout);
          for (size_t pool = 0; pool < pools; ++pool)
            prices[pool].push_back(each->costs[pool]);
        }
        return ++layoutCount <= most && withLayouts(s, prices);
      }
      for (const Priced &priced : layouts[block]) {
        bool canRun = std::ranges::none_of(priced.costs, [](auto &costs) {
          return costs.forward.isSaturated();
        });
        // Block i is that of segment i.
        bool agrees =
            (block == 0 || chosen[block - 1]->outputs == priced.inputs) &&
            (workload.segments[block].count == 1 ||
             priced.outputs == priced.inputs);
        chosen[block] = &priced;
        if (canRun && agrees && !choose(block + 1))
          return false;
      }
      return true;
    };
    return choose(0);
  }

  /// As docs/schedules.md says.
  bool canRun(const Strategy &s, int64_t count) const {
    if (s.schedule == ScheduleFamily::Interleaved)
      return count % std::max<int64_t>(1, count / s.pipeline) == 0;
    if (s.schedule == ScheduleFamily::ZeroBubbleV)
      return count >= 2 * s.pipeline - 1;
    return s.schedule != ScheduleFamily::DualPipeV || count >= 2 * s.pipeline;
  }

  bool withLayouts(Strategy s,
                   const std::vector<std::vector<UnitCosts>> &prices) {
    GroupPath replicas =
        AxisPaths(context.topology, s).replicas(1, s.data * s.context, 0);
    std::vector<int64_t> groups = {0};
    int64_t members = 1;
    for (const PathLevel &level : replicas.levels)
      if (members *= level.fanout;
          members < s.data * s.context && s.data * s.context % members == 0)
        groups.push_back(members);
    for (size_t family = 0; family < scheduleFamilies; ++family) {
      s.schedule = ScheduleFamily(family);
      if (!constraints.schedules[family])
        continue;
      if (!isSpread(s) &&
          !canRun(s, s.microBatchCount(context.workload.globalBatch)))
        continue;
      for (s.virtualStages = 1;
           s.virtualStages * s.pipeline <= context.workload.unitCount();
           ++s.virtualStages) {
        bool isV = isVShaped(s.schedule);
        if (s.pipeline == 1 ? s.virtualStages > 1 || isV
            : isV           ? s.virtualStages != 2
            : s.schedule == ScheduleFamily::Interleaved ? s.virtualStages == 1
                                                        : s.virtualStages > 1)
          continue;
        if (s.pipeline == 1 && s.schedule == ScheduleFamily::Interleaved)
          continue;
        for (s.zeroStage = 0; s.zeroStage < zeroStages; ++s.zeroStage)
          for (int64_t group : groups) {
            s.zeroGroup = group;
            if (constraints.zero[size_t(s.zeroStage)] &&
                (s.zeroStage > 0 || group == 0) && !withStages(s, 0, prices))
              return false;
          }
      }
    }
    return true;
  }

  /// Whether only layers recompute, and the unit is none.
  bool keepsAll(int64_t unit) const {
    for (const Segment &segment : context.workload.segments) {
      if (unit < segment.count) {
        const std::vector<Op> &ops = context.workload.blocks[segment.block].ops;
        return constraints.onlyLayersRecompute &&
               std::ranges::none_of(
                   ops, [](const Op &op) { return op.attention.has_value(); });
      }
      unit -= segment.count;
    }
    return false;
  }

  bool withStages(Strategy &s, int64_t begin,
                  const std::vector<std::vector<UnitCosts>> &prices) {
    int64_t stages = s.pipeline * s.virtualStages;
    int64_t made = int64_t(s.stages.size());
    int64_t units = context.workload.unitCount();
    if (made == stages)
      return begin < units || withPools(s, prices);
    for (int64_t end = begin + 1; end <= units; ++end) {
      if (made + 1 == stages && end < units)
        continue;
      const std::vector<int64_t> &given = constraints.stageSizes;
      if (!given.empty() && (int64_t(given.size()) != stages ||
                             given[size_t(made)] != end - begin))
        continue;
      std::vector<Recompute> choices(size_t(end - begin));
      std::function<bool(size_t)> choose = [&](size_t unit) {
        if (unit == choices.size()) {
          s.stages.push_back({begin, end, choices, 0});
          bool isGood = withStages(s, end, prices);
          s.stages.pop_back();
          return isGood;
        }
        for (size_t choice = 0; choice < recomputeChoices; ++choice) {
          choices[unit] = Recompute(choice);
          bool isAllowed =
              keepsAll(begin + int64_t(unit))
                  ? Recompute(choice) == Recompute::None
              : !constraints.unitRecompute.empty()
                  ? Recompute(choice) ==
                        constraints.unitRecompute[size_t(begin) + unit]
                  : constraints.recompute[choice];
          if (isAllowed && !choose(unit + 1))
            return false;
        }
        return true;
      };
      if (!choose(0))
        return false;
    }
    return true;
  }

  /// Every pool's pipeline ranks are neighbours.
  bool withPools(Strategy &s,
                 const std::vector<std::vector<UnitCosts>> &prices) {
    size_t pools = context.topology.pools().size();
    if (pools == 1)
      return price(s, prices);
    if (isSpread(s))
      return withShares(s, prices);
    AxisPaths paths(context.topology, s);
    for (unsigned first : {0u, 1u})
      for (int64_t onFirst = 0; onFirst <= s.pipeline; ++onFirst) {
        if (isPipelineOutermost(s)) {
          if (onFirst > paths.blocksOn(first) ||
              s.pipeline - onFirst > paths.blocksOn(1 - first))
            continue;
        } else if (onFirst < s.pipeline || paths.blocksOn(first) == 0) {
          // All ranks are one block.
          continue;
        }
        for (size_t stage = 0; stage < s.stages.size(); ++stage)
          s.stages[stage].pool =
              pipelineRankOf(s.schedule, s.pipeline, int64_t(stage)) < onFirst
                  ? first
                  : 1 - first;
        if (!price(s, prices))
          return false;
      }
    return true;
  }

  /// Ranks on one kind of device take equally many micro-batches, or one less.
  bool withShares(Strategy &s,
                  const std::vector<std::vector<UnitCosts>> &prices) {
    int64_t onFirst = s.dataShares[0].ranks, onSecond = s.dataShares[1].ranks;
    for (Stage &stage : s.stages)
      stage.pool = 0;
    int64_t total = ceilDivide(context.workload.globalBatch, s.microBatch);
    auto areEnough = [&](int64_t first, int64_t second) {
      return onFirst * first + onSecond * second >= total;
    };
    // Nobody takes more than is needed.
    auto isNeeded = [&](int64_t first, int64_t second) {
      for (int64_t fewer = 1; fewer < first; ++fewer)
        if (canRun(s, fewer) && areEnough(fewer, second))
          return false;
      for (int64_t fewer = 1; fewer < second; ++fewer)
        if (canRun(s, fewer) && areEnough(first, fewer))
          return false;
      return true;
    };
    for (int64_t first = 1; first <= total; ++first)
      for (int64_t second = 1; second <= total; ++second) {
        if (!areEnough(first, second) || !canRun(s, first) ||
            !canRun(s, second) || !isNeeded(first, second))
          continue;
        int64_t excess = onFirst * first + onSecond * second - total;
        for (int64_t ofFirst = 0; ofFirst <= excess; ++ofFirst)
          if (!withFewer(s, prices, first, ofFirst, second, excess - ofFirst))
            return false;
      }
    return true;
  }

  /// Some ranks of each kind take one micro-batch less, so that together they
  /// take as many as there are.
  bool withFewer(const Strategy &spread,
                 const std::vector<std::vector<UnitCosts>> &prices,
                 int64_t first, int64_t fewerOfFirst, int64_t second,
                 int64_t fewerOfSecond) {
    Strategy s = spread;
    s.dataShares.clear();
    auto add = [&](DataShare share, int64_t microBatches, int64_t fewer) {
      if (fewer > share.ranks || (fewer > 0 && !canRun(s, microBatches - 1)))
        return false;
      for (auto [ranks, each] : {std::pair(share.ranks - fewer, microBatches),
                                 std::pair(fewer, microBatches - 1)})
        if (ranks > 0) {
          s.dataShares.push_back(share);
          s.dataShares.back().ranks = ranks;
          s.dataShares.back().microBatches = each;
        }
      return true;
    };
    if (!add(spread.dataShares[0], first, fewerOfFirst) ||
        !add(spread.dataShares[1], second, fewerOfSecond) ||
        !s.verify(context.workload).empty())
      return true;
    return price(s, prices);
  }

  bool price(const Strategy &s,
             const std::vector<std::vector<UnitCosts>> &prices) {
    if (++count > most)
      return false;
    StepEstimate estimate = estimateStep(context, s, prices);
    if (visit)
      visit(s, estimate);
    // Ranks that no link joins wait forever.
    if (estimate.step().isSaturated() || !estimate.fits())
      return true;
    if (!best || estimate.step() < *best) {
      best = estimate.step();
      bestStrategy = s;
    }
    auto [least, isNew] = bestOf.try_emplace(s.rankCount(), estimate.step());
    least->second = std::min(least->second, estimate.step());
    return true;
  }

  const CostContext &context;
  const SearchConstraints &constraints;
  bool hasSpread;
  size_t most;
  size_t layoutCount = 0;
};

} // namespace shardsmith::testing_search

#endif // SHARDSMITH_TEST_UNIT_PLAN_ENUMERATION_H
