// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Strategy/ScheduleTraits.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardsmith {

using namespace workload;

namespace {

/// Each check returns an empty string or what is wrong.
class StrategyCheck {
public:
  StrategyCheck(const Strategy &strategy, const Workload &workload)
      : strategy(strategy), workload(workload) {}

  std::string run() const {
    for (auto check : {&StrategyCheck::degrees, &StrategyCheck::experts,
                       &StrategyCheck::deviceOrder, &StrategyCheck::zero,
                       &StrategyCheck::microBatches, &StrategyCheck::schedule,
                       &StrategyCheck::stages, &StrategyCheck::layouts})
      if (std::string problem = (this->*check)(); !problem.empty())
        return problem;
    return {};
  }

private:
  const Strategy &strategy;
  const Workload &workload;

  std::string degrees() const;
  std::string experts() const;
  std::string deviceOrder() const;
  std::string zero() const;
  std::string dataShares() const;
  std::string microBatches() const;
  std::string schedule() const;
  std::string stages() const;
  std::string layouts() const;
  std::string layoutOf(const Block &block, const BlockLayout &layout) const;
};

std::string StrategyCheck::degrees() const {
  auto tooSmall = [](std::string_view name, int64_t degree) {
    return fmt::format("{} is {}; it must be at least 1", name, degree);
  };
  for (const DegreeTraits &traits : allDegrees())
    if (strategy[traits.degree] < 1)
      return tooSmall(traits.name, strategy[traits.degree]);
  if (strategy.microBatch < 1)
    return tooSmall("micro-batch", strategy.microBatch);
  auto dataRanks = strategy.checkedReplicas();
  auto shards = checkedMultiply(strategy.tensor, strategy.pipeline);
  if (!dataRanks || !shards || !checkedMultiply(*dataRanks, *shards))
    return "the product of the degrees does not fit 64 bits";
  if (*dataRanks % strategy.expert != 0)
    return fmt::format("expert={} does not divide data·context = {}",
                       strategy.expert, *dataRanks);
  for (const DegreeTraits &traits : allDegrees())
    if (traits.most && strategy[traits.degree] > traits.most(workload))
      return fmt::format("{}={} exceeds the {} {}", traits.name,
                         strategy[traits.degree], traits.most(workload),
                         traits.parts);
  return {};
}

std::string StrategyCheck::experts() const {
  if (strategy.expert == 1)
    return {};
  std::optional<int64_t> fewest = workload.fewestExperts();
  if (!fewest)
    return fmt::format("expert={}, but the model has no experts",
                       strategy.expert);
  if (strategy.expert > *fewest)
    return fmt::format("expert={} exceeds the {} experts of a block",
                       strategy.expert, *fewest);
  return {};
}

std::string StrategyCheck::deviceOrder() const {
  std::vector<PlanAxis> axes = strategy.deviceOrder;
  std::ranges::sort(axes);
  std::vector<PlanAxis> all = usualDeviceOrder();
  std::ranges::sort(all);
  if (axes == all)
    return {};
  std::string names;
  for (size_t i = 0; i < all.size(); ++i)
    names += fmt::format("{}{}",
                         i == 0               ? ""
                         : i + 1 < all.size() ? ", "
                                              : " and ",
                         nameOf(all[i]));
  return fmt::format("the device order must name {} once each", names);
}

std::string StrategyCheck::zero() const {
  if (strategy.zeroStage < 0 || strategy.zeroStage > 3)
    return fmt::format("zero is {}; expected 0, 1, 2 or 3", strategy.zeroStage);
  int64_t dataRanks = strategy.replicas();
  if (strategy.zeroGroup < 0 ||
      (strategy.zeroGroup > 0 && dataRanks % strategy.zeroGroup != 0))
    return fmt::format("zero-group={} does not divide data·context = {}",
                       strategy.zeroGroup, dataRanks);
  return {};
}

std::string StrategyCheck::dataShares() const {
  Quantity<struct RanksUnit> ranks(0);
  Quantity<struct SequencesUnit> sequences(0);
  unsigned pool = 0;
  for (const DataShare &share : strategy.dataShares) {
    if (share.ranks < 1)
      return fmt::format("a share is that of {} data ranks; expected at least "
                         "1",
                         share.ranks);
    if (share.microBatches < 1)
      return fmt::format("a data rank has {} micro-batches; it must have at "
                         "least 1",
                         share.microBatches);
    if (share.pool < pool)
      return fmt::format("data ranks on pool {} come after those on pool {}",
                         share.pool, pool);
    pool = share.pool;
    ranks += Quantity<RanksUnit>(share.ranks);
    sequences += Quantity<SequencesUnit>(share.ranks) * share.microBatches *
                 strategy.microBatch;
  }
  if (ranks.count() != strategy.data)
    return fmt::format("shares are given for {} data ranks, but data={}",
                       ranks.count(), strategy.data);
  if (sequences.count() < workload.globalBatch)
    return fmt::format("the data ranks take {} sequences of the {} of a "
                       "step",
                       sequences.count(), workload.globalBatch);
  // The last micro-batch may have fewer sequences than others.
  if (sequences.count() - strategy.microBatch >= workload.globalBatch)
    return fmt::format(
        "the data ranks take {} sequences, a micro-batch or more "
        "beyond the {} of a step",
        sequences.count(), workload.globalBatch);
  return {};
}

std::string StrategyCheck::microBatches() const {
  if (strategy.microBatch > workload.globalBatch)
    return fmt::format("micro-batches of {} sequences; a step has {}",
                       strategy.microBatch, workload.globalBatch);
  if (!strategy.dataShares.empty())
    if (std::string problem = dataShares(); !problem.empty())
      return problem;
  int64_t count = strategy.microBatchCount(workload.globalBatch);
  if (count > 1 && !workload.microBatchObstacle.empty())
    return fmt::format("{} micro-batches, but the batch must not be cut: {}",
                       count, workload.microBatchObstacle);
  return {};
}

std::string StrategyCheck::schedule() const {
  std::string_view name = nameOf(strategy.schedule);
  int64_t virtualStages = strategy.virtualStages;
  int64_t pipeline = strategy.pipeline;
  const ScheduleTraits &traits = traitsOf(strategy.schedule);
  if (traits.stagesPerRank && virtualStages != *traits.stagesPerRank)
    return *traits.stagesPerRank == 1
               ? fmt::format("{} runs one stage per rank; virtual-stages is {}",
                             name, virtualStages)
               : fmt::format("{} needs virtual-stages={}, not {}", name,
                             *traits.stagesPerRank, virtualStages);
  int64_t least = traits.leastMicroBatches(pipeline);
  int64_t count = strategy.microBatchCount(workload.globalBatch);
  for (const DataShare &share : strategy.dataShares)
    count = std::min(count, share.microBatches);
  if (count < least)
    return fmt::format("{} on {} pipeline ranks needs {} micro-batches; "
                       "there are {}",
                       name, pipeline, least, count);
  return {};
}

std::string StrategyCheck::stages() const {
  auto count = checkedMultiply(strategy.pipeline, strategy.virtualStages);
  if (!count || int64_t(strategy.stages.size()) != *count)
    return fmt::format("{} stages; expected pipeline·virtual-stages = {}·{}",
                       strategy.stages.size(), strategy.pipeline,
                       strategy.virtualStages);
  int64_t unit = 0;
  for (size_t i = 0; i < strategy.stages.size(); ++i) {
    const Stage &stage = strategy.stages[i];
    if (stage.begin != unit || stage.end <= stage.begin)
      return fmt::format("stage {} holds units {} to {}; expected at least "
                         "one unit from {} on",
                         i, stage.begin, stage.end, unit);
    if (int64_t(stage.recompute.size()) != stage.end - stage.begin)
      return fmt::format("stage {} has {} units, but {} recompute choices", i,
                         stage.end - stage.begin, stage.recompute.size());
    unit = stage.end;
  }
  if (unit != workload.unitCount())
    return fmt::format("the stages end at unit {} of {}", unit,
                       workload.unitCount());
  return {};
}

std::string StrategyCheck::layouts() const {
  if (strategy.layouts.size() != workload.blocks.size())
    return fmt::format("layouts of {} blocks; the model has {}",
                       strategy.layouts.size(), workload.blocks.size());
  for (size_t i = 0; i < workload.blocks.size(); ++i)
    if (std::string problem = layoutOf(workload.blocks[i], strategy.layouts[i]);
        !problem.empty())
      return fmt::format("layout of block '{}': {}", workload.blocks[i].name,
                         problem);
  return {};
}

std::string StrategyCheck::layoutOf(const Block &block,
                                    const BlockLayout &layout) const {
  if (layout.ops.size() != block.ops.size() ||
      layout.tensors.size() != block.tensors.size())
    return fmt::format("{} ops and {} tensors; expected {} and {}",
                       layout.ops.size(), layout.tensors.size(),
                       block.ops.size(), block.tensors.size());
  for (size_t i = 0; i < block.ops.size(); ++i) {
    const Op &op = block.ops[i];
    std::optional<FactorIndex> split = layout.ops[i].factor;
    if (!split)
      continue;
    if (*split >= op.factors.size())
      return fmt::format("op '{}' has no factor {}", op.name, *split);
    const Factor &factor = op.factors[*split];
    if (factor.kind == FactorKind::Whole)
      return fmt::format("op '{}' needs factor '{}' whole", op.name,
                         factor.name);
    if (factor.role == FactorRole::Batch || factor.role == FactorRole::Expert)
      return fmt::format("op '{}': the tensor axis cannot split factor '{}' "
                         "of the batch or the experts",
                         op.name, factor.name);
  }
  for (size_t i = 0; i < block.tensors.size(); ++i) {
    const Tensor &tensor = block.tensors[i];
    if (layout.tensors[i].kind == TensorLayout::Kind::Split &&
        layout.tensors[i].dim >= tensor.shape.size())
      return fmt::format("tensor '{}' has no dimension {}", tensor.name,
                         layout.tensors[i].dim);
    if (layout.tensors[i].kind == TensorLayout::Kind::Partial)
      return fmt::format("tensor '{}' is handed out as partial sums",
                         tensor.name);
  }
  return {};
}

} // namespace

std::string Strategy::verify(const Workload &workload) const {
  return StrategyCheck(*this, workload).run();
}

} // namespace shardsmith
