// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Strategy/Strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

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

int64_t Strategy::microBatchCount(int64_t globalBatch) const {
  if (!dataShares.empty())
    return std::ranges::max(dataShares, {}, &DataShare::microBatches)
        .microBatches;
  return evenMicroBatchCount(globalBatch, data, microBatch);
}

// As the mesh of a program has them: experts take the context axis first, and
// a group of ZeRO counts the context ranks of its data ranks.
bool Strategy::waitsPerMicroBatch() const {
  int64_t expertsApart = expert / std::gcd(expert, context);
  if (expertsApart > 1)
    return true;
  int64_t shards =
      zeroGroup == 0
          ? data
          : std::gcd(data, std::max<int64_t>(zeroGroup / context, 1));
  return zeroStage >= 2 && shards > 1;
}

std::map<unsigned, int64_t> Strategy::slotsOnPools() const {
  bool isTogether = waitsPerMicroBatch();
  int64_t ofBusiest = 0;
  std::map<unsigned, int64_t> slots;
  for (const DataShare &share : dataShares) {
    slots[share.pool] = std::max(slots[share.pool], share.microBatches);
    ofBusiest = std::max(ofBusiest, share.microBatches);
  }
  for (auto &[pool, count] : slots)
    if (isTogether)
      count = ofBusiest;
  return slots;
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
  std::string text = textOf(*this);
  auto append = [&](std::string_view key, int64_t value, int64_t usual) {
    if (value != usual)
      text += fmt::format(" {}={}", key, value);
  };
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
  if (deviceOrder != usualDeviceOrder())
    text += fmt::format(" order={}", orderText(deviceOrder));
  return text + " recompute=" + recomputeText(stages);
}

} // namespace shardsmith
