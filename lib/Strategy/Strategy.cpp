// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Strategy/Strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace shardsmith {

int64_t pipelineRankOf(ScheduleFamily family, int64_t pipeline, int64_t stage) {
  if (isVShaped(family))
    return std::min(stage, 2 * pipeline - 1 - stage);
  return stage % pipeline;
}

BlockLayout unsplitLayout(const workload::Block &block) {
  return {std::vector<OpSplit>(block.ops.size()),
          std::vector<TensorLayout>(block.tensors.size())};
}

int64_t Strategy::degree(PlanAxis axis) const {
  switch (axis) {
  case PlanAxis::Tensor:
    return tensor;
  case PlanAxis::Context:
    return context;
  case PlanAxis::Data:
    return data;
  case PlanAxis::Pipeline:
    return pipeline;
  }
  return 1;
}

int64_t Strategy::microBatchCount(int64_t globalBatch) const {
  if (!dataShares.empty())
    return std::ranges::max(dataShares, {}, &DataShare::microBatches)
        .microBatches;
  return evenMicroBatchCount(globalBatch, data, microBatch);
}

std::map<unsigned, int64_t> Strategy::microBatchesOnPools() const {
  std::map<unsigned, int64_t> most;
  for (const DataShare &share : dataShares)
    most[share.pool] = std::max(most[share.pool], share.microBatches);
  return most;
}

namespace {

/// `full`, or `none:20+full:12` where units differ.
std::string recomputeText(const std::vector<Stage> &stages) {
  std::array<int64_t, recomputeChoices> counts = {};
  for (const Stage &stage : stages)
    for (Recompute choice : stage.recompute)
      ++counts[size_t(choice)];
  bool mixed = std::ranges::count(counts, 0) < recomputeChoices - 1;
  std::string text;
  for (int choice = 0; choice < recomputeChoices; ++choice) {
    if (counts[choice] == 0)
      continue;
    if (!text.empty())
      text += '+';
    text += nameOf(Recompute(choice));
    if (mixed)
      text += fmt::format(":{}", counts[choice]);
  }
  return text.empty() ? "none" : text;
}

std::string orderText(const std::vector<PlanAxis> &axes) {
  std::string text;
  for (PlanAxis axis : axes)
    text += (text.empty() ? "" : ",") + std::string(nameOf(axis));
  return text;
}

} // namespace

std::string Strategy::str() const {
  std::string text = fmt::format("tensor={}", tensor);
  auto append = [&](std::string_view key, int64_t value, int64_t usual) {
    if (value != usual)
      text += fmt::format(" {}={}", key, value);
  };
  append("context", context, 1);
  if (context > 1)
    text += fmt::format(" context-method={}", nameOf(contextMethod));
  append("pipeline", pipeline, 0);
  append("virtual-stages", virtualStages, 1);
  append("data", data, 0);
  append("expert", expert, 1);
  append("zero", zeroStage, 0);
  append("zero-group", zeroGroup, 0);
  append("micro-batch", microBatch, 0);
  for (size_t i = 0; i < dataShares.size(); ++i) {
    const DataShare &share = dataShares[i];
    text += fmt::format("{}{}x{}@{}", i == 0 ? " micro-batches=" : ",",
                        share.ranks, share.microBatches, share.pool);
  }
  if (pipeline > 1)
    text += fmt::format(" {}", nameOf(schedule));
  if (deviceOrder != Strategy().deviceOrder)
    text += fmt::format(" order={}", orderText(deviceOrder));
  return text + " recompute=" + recomputeText(stages);
}

} // namespace shardsmith
