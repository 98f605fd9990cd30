// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/PlanReport.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith {
namespace {

struct RankedRow {
  const Strategy &strategy;
  const StepEstimate &estimate;
  std::optional<double> dollars;
};

bool minimisesDollars(const PlanDocument &document) {
  return document.search.objective == "dollars";
}

/// What plans are ranked by.
double costOf(const PlanDocument &document, const RankedRow &row) {
  return minimisesDollars(document) ? row.dollars.value_or(0)
                                    : double(row.estimate.step().count());
}

std::vector<std::string> rankingRow(const PlanDocument &document,
                                    size_t position, const RankedRow &row) {
  const StageEstimate &rank = row.estimate.ranks.at(row.estimate.fullestRank);
  double best = costOf(
      document, {document.strategy, document.estimate, document.dollars});
  double above = best > 0 ? costOf(document, row) / best - 1 : 0;
  std::vector<std::string> cells = {
      fmt::format("{}", position),
      describeDegrees(row.strategy),
      describeZero(row.strategy),
      describeMicroBatches(row.strategy, document.model.globalBatch),
      describeSchedule(row.strategy),
      describeRecompute(row.strategy),
      describeTime(row.estimate.step())};
  if (minimisesDollars(document))
    cells.push_back(fmt::format("{:.4g} $", row.dollars.value_or(0)));
  cells.push_back(position == 1 ? "" : fmt::format("{:+.1f} %", above * 100));
  cells.push_back(fmt::format("{} of {}", describeBytes(rank.memory.total()),
                              describeBytes(rank.memoryLimit)));
  return cells;
}

} // namespace

std::string describeRanking(const PlanDocument &document) {
  std::vector<std::string> titles = {
      "#",         "devices ",   "ZeRO ", "micro-batches",
      "schedule ", "recompute ", "step"};
  if (minimisesDollars(document))
    titles.push_back("price");
  titles.insert(titles.end(), {"", "memory per rank"});
  std::vector<std::vector<std::string>> rows{titles};
  rows.push_back(rankingRow(
      document, 1, {document.strategy, document.estimate, document.dollars}));
  size_t position = 2;
  for (const PlanAlternative &other : document.alternatives)
    rows.push_back(rankingRow(document, position++,
                              {other.strategy, other.estimate, other.dollars}));
  std::string text = describeTable(rows);
  position = 2;
  for (const PlanAlternative &other : document.alternatives)
    text += fmt::format("{} is not first: {}\n", position++, other.reason);
  return text;
}

std::string describeProof(const PlanDocument &document) {
  const PlanSearchRecord &search = document.search;
  if (search.proof == PlanProof::None)
    return "priced as given, not searched\n";
  auto describe = [&](int64_t cost) {
    return search.objective == "time"
               ? describeTime(Nanoseconds(cost))
               : fmt::format("{:.4g} $", double(cost) * 1e-9);
  };
  std::string text = fmt::format(
      "proof: cost {}, lower bound {}, gap {:.2f} % ({})\n",
      describe(search.cost), describe(search.bound), search.gap() * 100,
      search.proof == PlanProof::Exact
          ? "exact: nothing is better on this cost model"
          : "the best there is lies between bound and cost");
  std::vector<std::string> counts;
  for (const auto &[name, count] : search.counts)
    if (count > 0)
      counts.push_back(fmt::format("{} {}", count, name));
  text += fmt::format("search: {}{}\n", fmt::join(counts, ", "),
                      search.stopped ? "; stopped before the end" : "");
  return text;
}

std::string describeSources(const PlanDocument &document) {
  std::string text = fmt::format(
      "figures: {} for the step ({} profile \"{}\", cluster \"{}\"), ±{:.0f} "
      "%\n",
      toString(document.estimate.provenance), "software", document.profile.name,
      document.cluster.name, document.estimate.uncertainty * 100);
  std::string given;
  for (const PlanOption &option : document.options)
    if (option.given)
      given += fmt::format(" {}={}", option.name, option.value);
  text += fmt::format("given:{}; all else was chosen\n",
                      given.empty() ? " nothing" : given);
  return text;
}

std::string describePlan(const PlanDocument &document) {
  const PlannedModel &model = document.model;
  std::string text = fmt::format(
      "{} on {}: {} parameters, {} sequences of {} per step, {}\n\n",
      model.identity.name, document.cluster.name,
      describeCount(model.parameters), model.globalBatch, model.sequenceLength,
      workload::nameOf(model.computeType));
  text += describeRanking(document) + "\n";
  int64_t idle = document.clusterDevices - document.strategy.rankCount();
  if (idle > 0)
    text += fmt::format("{} of {} devices stay idle\n\n", idle,
                        document.clusterDevices);
  text += describeStep(document) + "\n";
  text += describeMemory(document.estimate) + "\n";
  text += describeProof(document);
  text += describeSources(document);
  return text;
}

} // namespace shardsmith
