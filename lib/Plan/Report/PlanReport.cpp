// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/PlanReport.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith {
namespace {

std::vector<std::string> rankingRow(const PlanDocument &document,
                                    size_t position, const Strategy &strategy,
                                    const StepEstimate &estimate) {
  const StageEstimate &rank = estimate.ranks.at(estimate.fullestRank);
  double best = double(document.estimate.step().count());
  double slower = best > 0 ? double(estimate.step().count()) / best - 1 : 0;
  return {fmt::format("{}", position),
          describeDegrees(strategy),
          describeZero(strategy),
          describeMicroBatches(strategy, document.model.globalBatch),
          describeSchedule(strategy),
          describeRecompute(strategy),
          describeTime(estimate.step()),
          position == 1 ? "" : fmt::format("{:+.1f} %", slower * 100),
          fmt::format("{} of {}", describeBytes(rank.memory.total()),
                      describeBytes(rank.memoryLimit))};
}

} // namespace

std::string describeRanking(const PlanDocument &document) {
  std::vector<std::vector<std::string>> rows{
      {"#", "devices ", "ZeRO ", "micro-batches", "schedule ", "recompute ",
       "step", "", "memory per rank"}};
  rows.push_back(rankingRow(document, 1, document.strategy, document.estimate));
  size_t position = 2;
  for (const PlanAlternative &other : document.alternatives)
    rows.push_back(
        rankingRow(document, position++, other.strategy, other.estimate));
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
               : fmt::format("{:.4f} $", double(cost) * 1e-9);
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
