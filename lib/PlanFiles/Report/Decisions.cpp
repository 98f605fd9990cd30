// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/PlanFiles/PlanReport.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace shardsmith {

std::string describeDegrees(const Strategy &strategy) {
  std::vector<std::string> parts;
  for (const DegreeTraits &traits : allDegrees())
    if (traits.axis && strategy[traits.degree] > 1)
      parts.push_back(
          fmt::format("{} {}", traits.name, strategy[traits.degree]));
  if (parts.empty())
    return "1 device";
  std::string text =
      fmt::format("{} = {}", strategy.rankCount(), fmt::join(parts, " × "));
  if (strategy.expert > 1)
    text += fmt::format(", expert {}", strategy.expert);
  return text;
}

std::string describeRecompute(const Strategy &strategy) {
  std::array<int64_t, recomputeChoices> counts{};
  int64_t units = 0;
  for (const Stage &stage : strategy.stages)
    for (Recompute choice : stage.recompute) {
      ++counts[size_t(choice)];
      ++units;
    }
  std::vector<std::string> parts;
  for (Recompute choice : {Recompute::Full, Recompute::Selective}) {
    int64_t count = counts[size_t(choice)];
    if (count == units && units > 0)
      return std::string(nameOf(choice));
    if (count > 0)
      parts.push_back(
          fmt::format("{} in {} of {}", nameOf(choice), count, units));
  }
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string describeSchedule(const Strategy &strategy) {
  if (strategy.pipeline == 1)
    return "-";
  std::string text(nameOf(strategy.schedule));
  if (strategy.virtualStages > 1)
    text += fmt::format(", {} stages per rank", strategy.virtualStages);
  return text;
}

std::string describeMicroBatches(const Strategy &strategy,
                                 int64_t globalBatch) {
  int64_t most = strategy.microBatchCount(globalBatch), least = most;
  for (const DataShare &share : strategy.dataShares)
    least = std::min(least, share.microBatches);
  std::string counts = fmt::format("{}", most);
  if (least < most)
    counts = fmt::format("{}..{}", least, most);
  return fmt::format("{} x {}", counts, strategy.microBatch);
}

std::string describeZero(const Strategy &strategy) {
  int64_t ranks = strategy.replicas();
  if (strategy.zeroStage == 0 || strategy.zeroGroup == 0 ||
      strategy.zeroGroup == ranks)
    return fmt::format("{}", strategy.zeroStage);
  return fmt::format("{} in groups of {}", strategy.zeroStage,
                     strategy.zeroGroup);
}

namespace {

std::string describeParameter(const NamedLayout::ParameterEntry &entry) {
  std::vector<std::string> dims;
  for (size_t dim = 0; dim < entry.shape.size(); ++dim)
    dims.push_back(entry.axes[dim].empty()
                       ? fmt::format("{}", entry.shape[dim])
                       : fmt::format("{} by {}", entry.shape[dim],
                                     fmt::join(entry.axes[dim], ", ")));
  std::string name = entry.names.empty() ? "parameter" : entry.names.front();
  if (entry.names.size() > 1)
    name += fmt::format(" and {} more", entry.names.size() - 1);
  return fmt::format("{} [{}]", name, fmt::join(dims, ", "));
}

} // namespace

std::string describeLayouts(const std::vector<NamedLayout> &layouts) {
  std::string text;
  for (const NamedLayout &layout : layouts) {
    text += fmt::format("block {}\n", layout.block);
    for (const NamedLayout::ParameterEntry &entry : layout.parameters)
      text += fmt::format("  {}\n", describeParameter(entry));
    std::vector<std::vector<std::string>> rows{{"  op", "split by tensor "}};
    for (const NamedLayout::OpEntry &entry : layout.ops)
      rows.push_back(
          {"  " + entry.op, entry.split.empty() ? "-" : entry.split});
    text += describeTable(rows);
  }
  return text;
}

} // namespace shardsmith
