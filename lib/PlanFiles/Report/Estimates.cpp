// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/PlanFiles/PlanReport.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace shardsmith {

std::vector<TimePart> partsOf(const TimeSplit &time) {
  std::vector<TimePart> parts = {{"compute", time.compute},
                                 {"recomputation", time.recompute}};
  for (auto [name, axis] : unitAxes<Nanoseconds>)
    parts.push_back({fmt::format("{} communication", name), time.*axis});
  parts.insert(parts.end(), {{"data communication", time.data},
                             {"pipeline communication", time.pipeline},
                             {"pipeline bubble", time.bubble},
                             {"optimizer", time.optimizer},
                             {"stragglers", time.straggler},
                             {"fixed per step", time.fixed}});
  return parts;
}

std::vector<MemoryPart> partsOf(const MemorySplit &memory) {
  return {{"parameters", memory.parameters},
          {"gradients", memory.gradients},
          {"optimizer state", memory.optimizerState},
          {"activations", memory.activations},
          {"workspace", memory.workspace},
          {"communication buffers", memory.communication},
          {"overhead", memory.overhead}};
}

namespace {

double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : 100.0 * double(part) / double(whole);
}

/// Pipeline ranks whose memory is the same share one line.
std::string describeOtherRanks(const StepEstimate &estimate) {
  std::vector<std::vector<std::string>> rows;
  auto rowOf = [](const StageEstimate &rank) {
    return std::vector<std::string>{describeBytes(rank.memory.total()),
                                    fmt::format("{} in flight", rank.inFlight),
                                    describeTime(rank.forward),
                                    describeTime(rank.backward)};
  };
  rows.push_back(
      {"  stage rank", "memory", "micro-batches", "forward", "backward"});
  for (size_t begin = 0; begin < estimate.ranks.size();) {
    std::vector<std::string> row = rowOf(estimate.ranks[begin]);
    size_t end = begin + 1;
    while (end < estimate.ranks.size() && rowOf(estimate.ranks[end]) == row)
      ++end;
    row.insert(row.begin(), end - begin == 1
                                ? fmt::format("  {}", begin)
                                : fmt::format("  {} to {}", begin, end - 1));
    rows.push_back(row);
    begin = end;
  }
  return describeTable(rows);
}

} // namespace

bool hasTokens(const PlannedModel &model) { return model.sequenceLength > 1; }

namespace {

/// A rate without decimals, unless it is small.
std::string describeRate(double perSecond) {
  return perSecond < 10 ? fmt::format("{:.3g}", perSecond)
                        : fmt::format("{:.0f}", perSecond);
}

} // namespace

std::string describeStep(const PlanDocument &document) {
  const StepEstimate &estimate = document.estimate;
  Nanoseconds step = estimate.step();
  double seconds = double(step.count()) * 1e-9;
  auto bound = [&](double factor) {
    return describeTime(
        Nanoseconds(int64_t(double(step.count()) * std::max(factor, 0.0))));
  };
  std::string text = fmt::format("step {}", describeTime(step));
  if (estimate.uncertainty > 0)
    text += fmt::format(", likely {} to {}", bound(1 - estimate.uncertainty),
                        bound(1 + estimate.uncertainty));
  text += "\n";
  std::vector<std::vector<std::string>> rows;
  for (const TimePart &part : partsOf(estimate.time))
    if (part.time.count() != 0)
      rows.push_back(
          {fmt::format("  {}", part.name), describeTime(part.time),
           fmt::format("{:.1f} %", share(part.time.count(), step.count()))});
  text += rows.empty() ? "" : describeTable(rows);
  double samples = double(document.model.globalBatch);
  double counted = samples * double(document.model.sequenceLength);
  double ranks = double(document.strategy.rankCount());
  if (seconds > 0)
    text +=
        fmt::format("  {} {}/s per device, {:.1f} model TFLOP/s per device\n",
                    describeRate(counted / seconds / ranks),
                    hasTokens(document.model) ? "tokens" : "samples",
                    3 * samples * double(document.model.forwardFlops.count()) /
                        seconds / ranks * 1e-12);
  return text;
}

std::string describeMemory(const StepEstimate &estimate) {
  const StageEstimate &rank = estimate.ranks.at(estimate.fullestRank);
  Bytes peak = rank.memory.total();
  std::string where = estimate.ranks.size() > 1
                          ? fmt::format(" of pipeline rank {}, the fullest",
                                        estimate.fullestRank)
                          : " per rank";
  std::string text =
      fmt::format("memory{}: {} of {} usable", where, describeBytes(peak),
                  describeBytes(rank.memoryLimit));
  text +=
      peak > rank.memoryLimit
          ? fmt::format(", {} too much\n",
                        describeBytes(peak - rank.memoryLimit))
          : fmt::format(", {} free\n", describeBytes(rank.memoryLimit - peak));
  std::vector<std::vector<std::string>> rows;
  for (const MemoryPart &part : partsOf(rank.memory))
    rows.push_back(
        {fmt::format("  {}", part.name), describeBytes(part.bytes),
         fmt::format("{:.1f} %", share(part.bytes.count(), peak.count()))});
  text += describeTable(rows);
  if (estimate.ranks.size() > 1)
    text += describeOtherRanks(estimate);
  return text;
}

std::string whyNot(const StepEstimate &chosen, const StepEstimate &other) {
  if (!other.fits()) {
    const StageEstimate &rank = other.ranks.at(other.fullestRank);
    return fmt::format("does not fit: {} of {} usable, {} too much",
                       describeBytes(rank.memory.total()),
                       describeBytes(rank.memoryLimit),
                       describeBytes(rank.memory.total() - rank.memoryLimit));
  }
  std::vector<TimePart> before = partsOf(chosen.time),
                        after = partsOf(other.time);
  std::vector<std::pair<int64_t, std::string>> changes;
  for (size_t index = 0; index < before.size(); ++index) {
    int64_t change = after[index].time.count() - before[index].time.count();
    if (change != 0)
      changes.push_back(
          {-std::abs(change),
           fmt::format("{} {}{}", after[index].name, change > 0 ? "+" : "",
                       describeTime(Nanoseconds(change)))});
  }
  if (changes.empty())
    return "as fast";
  std::sort(changes.begin(), changes.end());
  std::vector<std::string> largest;
  for (size_t index = 0; index < std::min<size_t>(changes.size(), 3); ++index)
    largest.push_back(changes[index].second);
  return fmt::format("{}", fmt::join(largest, ", "));
}

} // namespace shardsmith
