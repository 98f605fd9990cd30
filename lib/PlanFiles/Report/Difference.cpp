// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/PlanFiles/PlanReport.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardsmith {
namespace {

using Row = std::vector<std::string>;

template <typename Amount, typename Describe>
Row row(std::string_view name, Amount first, Amount second, Describe describe) {
  int64_t change = second.count() - first.count();
  std::string relative =
      first.count() == 0 ? ""
                         : fmt::format("{:+.1f} %", 100.0 * double(change) /
                                                        double(first.count()));
  return {fmt::format("  {}", name), describe(first), describe(second),
          (change > 0 ? "+" : "") + describe(Amount(change)), relative};
}

std::string orderOf(const Strategy &strategy) {
  std::string text;
  for (PlanAxis axis : strategy.deviceOrder) {
    text += text.empty() ? "" : ", ";
    text += nameOf(axis);
  }
  return text;
}

std::string stagesOf(const PlanDocument &document) {
  bool namesKinds = document.pools.size() > 1;
  namesKinds &= document.strategy.dataShares.empty();
  std::string text;
  for (const Stage &stage : document.strategy.stages) {
    text +=
        fmt::format("{}{}", text.empty() ? "" : ", ", stage.end - stage.begin);
    if (namesKinds)
      text += " on " + describeKind(document, stage.pool);
  }
  return text;
}

std::string sharesOf(const PlanDocument &document) {
  std::string text;
  for (const DataShare &share : document.strategy.dataShares)
    text +=
        fmt::format("{}{} on {} take {}", text.empty() ? "" : ", ", share.ranks,
                    describeKind(document, share.pool), share.microBatches);
  return text.empty() ? "alike" : text;
}

std::vector<std::pair<const char *, std::string>>
decisionsOf(const PlanDocument &document) {
  const Strategy &strategy = document.strategy;
  return {{"model", document.model.identity.name},
          {"cluster", document.cluster.name},
          {"profile", document.profile.name},
          {"sequences per step", fmt::format("{}", document.model.globalBatch)},
          {"sequence length", fmt::format("{}", document.model.sequenceLength)},
          {"devices", describeDegrees(strategy)},
          {"device order", orderOf(strategy)},
          {"context method", std::string(nameOf(strategy.contextMethod))},
          {"ZeRO", describeZero(strategy)},
          {"micro-batches",
           describeMicroBatches(strategy, document.model.globalBatch)},
          {"schedule", describeSchedule(strategy)},
          {"data ranks", sharesOf(document)},
          {"units per stage", stagesOf(document)},
          {"recompute", describeRecompute(strategy)}};
}

/// Ops and parameters whose layouts differ, block by block.
std::string layoutDifference(const PlanDocument &first,
                             const PlanDocument &second) {
  std::string text;
  size_t blocks = std::min(first.layouts.size(), second.layouts.size());
  for (size_t index = 0; index < blocks; ++index) {
    const NamedLayout &a = first.layouts[index], &b = second.layouts[index];
    size_t ops = std::min(a.ops.size(), b.ops.size());
    for (size_t op = 0; op < ops; ++op)
      if (a.ops[op] != b.ops[op])
        text +=
            fmt::format("  {} / {}: split {} -> {}\n", a.block, a.ops[op].op,
                        a.ops[op].split.empty() ? "-" : a.ops[op].split,
                        b.ops[op].split.empty() ? "-" : b.ops[op].split);
  }
  return text;
}

} // namespace

std::string describeDifference(const StepEstimate &first,
                               const std::string &firstName,
                               const StepEstimate &second,
                               const std::string &secondName) {
  std::vector<Row> rows{{"time", firstName, secondName, "difference", ""}};
  std::vector<TimePart> before = partsOf(first.time),
                        after = partsOf(second.time);
  for (size_t index = 0; index < before.size(); ++index)
    if (before[index].time.count() != 0 || after[index].time.count() != 0)
      rows.push_back(row(before[index].name, before[index].time,
                         after[index].time, describeTime));
  rows.push_back(row("step", first.step(), second.step(), describeTime));
  std::string text = describeTable(rows);
  rows = {{"memory", firstName, secondName, "difference", ""}};
  const MemorySplit &a = first.ranks.at(first.fullestRank).memory;
  const MemorySplit &b = second.ranks.at(second.fullestRank).memory;
  std::vector<MemoryPart> held = partsOf(a), wanted = partsOf(b);
  for (size_t index = 0; index < held.size(); ++index)
    rows.push_back(row(held[index].name, held[index].bytes, wanted[index].bytes,
                       describeBytes));
  rows.push_back(row("peak", a.total(), b.total(), describeBytes));
  rows.push_back(row("limit", first.ranks[first.fullestRank].memoryLimit,
                     second.ranks[second.fullestRank].memoryLimit,
                     describeBytes));
  return text + describeTable(rows);
}

std::string describeDifference(const PlanDocument &first,
                               const PlanDocument &second) {
  std::vector<Row> rows{{"decision", "first ", "second "}};
  auto before = decisionsOf(first), after = decisionsOf(second);
  for (size_t index = 0; index < before.size(); ++index)
    if (before[index].second != after[index].second)
      rows.push_back({fmt::format("  {}", before[index].first),
                      before[index].second, after[index].second});
  std::string layouts = layoutDifference(first, second);
  std::string text = rows.size() > 1 || !layouts.empty()
                         ? describeTable(rows) + layouts
                         : "the decisions are the same\n";
  return text +
         describeDifference(first.estimate, "first", second.estimate, "second");
}

} // namespace shardsmith
