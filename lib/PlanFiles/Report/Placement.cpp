// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/PlanFiles/PlanReport.h"

#include <fmt/format.h>

namespace shardsmith {

namespace {

using Rows = std::vector<std::vector<std::string>>;

/// `3`, or `3 to 5`.
std::string numbers(int64_t begin, int64_t end) {
  return end - begin == 1 ? fmt::format("{}", begin)
                          : fmt::format("{} to {}", begin, end - 1);
}

std::vector<std::string> row(const PlanDocument &document, unsigned pool,
                             int64_t devices, std::string ranks,
                             std::string work) {
  std::string all = "?";
  if (pool < document.pools.size())
    all = fmt::format("{}", document.pools[pool].devices);
  return {fmt::format("  {}", describeKind(document, pool)),
          fmt::format("{} of {}", devices, all), std::move(ranks),
          std::move(work)};
}

void addShares(const PlanDocument &document, Rows &rows) {
  const Strategy &strategy = document.strategy;
  rows.push_back({"  kind", "devices", "data ranks", "micro-batches"});
  int64_t each = strategy.rankCount() / strategy.data, begin = 0;
  for (const DataShare &share : strategy.dataShares) {
    int64_t end = begin + share.ranks;
    rows.push_back(
        row(document, share.pool, share.ranks * each, numbers(begin, end),
            fmt::format("{} x {}", share.microBatches, strategy.microBatch)));
    begin = end;
  }
}

/// Neighbouring ranks on one kind share a line.
void addStages(const PlanDocument &document, Rows &rows) {
  const Strategy &strategy = document.strategy;
  rows.push_back({"  kind", "devices", "pipeline ranks", "units"});
  std::vector<unsigned> pools(size_t(strategy.pipeline));
  std::vector<int64_t> units(pools.size());
  for (size_t s = 0; s < strategy.stages.size(); ++s) {
    const Stage &stage = strategy.stages[s];
    auto rank = size_t(
        pipelineRankOf(strategy.schedule, strategy.pipeline, int64_t(s)));
    pools[rank] = stage.pool;
    units[rank] += stage.end - stage.begin;
  }
  int64_t each = strategy.rankCount() / strategy.pipeline;
  for (size_t begin = 0, end = 0; begin < pools.size(); begin = end) {
    int64_t together = 0;
    for (; end < pools.size() && pools[end] == pools[begin]; ++end)
      together += units[end];
    rows.push_back(row(document, pools[begin], int64_t(end - begin) * each,
                       numbers(int64_t(begin), int64_t(end)),
                       fmt::format("{}", together)));
  }
}

} // namespace

std::string describeKind(const PlanDocument &document, unsigned pool) {
  return pool < document.pools.size() ? document.pools[pool].type
                                      : fmt::format("pool {}", pool);
}

std::string describePlacement(const PlanDocument &document) {
  if (document.pools.size() < 2)
    return {};
  Rows rows;
  if (document.strategy.dataShares.empty())
    addStages(document, rows);
  else
    addShares(document, rows);
  return "kinds of device\n" + describeTable(rows);
}

} // namespace shardsmith
