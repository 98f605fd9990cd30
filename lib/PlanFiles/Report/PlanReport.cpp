// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/PlanFiles/PlanReport.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace shardsmith {
namespace {

struct RankedRow {
  const Strategy &strategy;
  const StepEstimate &estimate;
  std::optional<double> dollars;
};

bool isFront(const PlanDocument &document) {
  return document.search.objective == "front";
}

bool showsPrices(const PlanDocument &document) {
  return document.search.objective != "time";
}

bool showsTokens(const PlanDocument &document) {
  return showsPrices(document) && hasTokens(document.model);
}

/// `512 sequences of 8192 per step`, `64 samples per step`.
std::string describeBatch(const PlannedModel &model) {
  if (hasTokens(model))
    return fmt::format("{} sequences of {} per step", model.globalBatch,
                       model.sequenceLength);
  return fmt::format("{} sample{} per step", model.globalBatch,
                     model.globalBatch == 1 ? "" : "s");
}

/// `+3.1 %`: how much more than the first; nothing for the first itself.
std::string describeMore(double value, double first) {
  return first > 0 ? fmt::format("{:+.1f} %", 100 * (value / first - 1)) : "";
}

std::string describeDollars(double dollars) {
  return fmt::format("{:.4g} $", dollars);
}

double dollarsPerBillionTokens(const PlannedModel &model, double perStep) {
  return perStep * 1e9 /
         (double(model.globalBatch) * double(model.sequenceLength));
}

std::vector<std::string> rankingTitles(const PlanDocument &document) {
  std::vector<std::string> titles = {
      "#",         "devices ",   "ZeRO ", "micro-batches",
      "schedule ", "recompute ", "step"};
  if (isFront(document))
    titles.push_back("");
  if (showsPrices(document))
    titles.push_back("price");
  titles.push_back("");
  if (showsTokens(document))
    titles.push_back("1 B tokens");
  titles.push_back("memory per rank");
  return titles;
}

std::vector<std::string> rankingRow(const PlanDocument &document,
                                    size_t position, const RankedRow &row) {
  const StageEstimate &rank = row.estimate.ranks.at(row.estimate.fullestRank);
  double dollars = row.dollars.value_or(0);
  std::string moreTime, moreMoney;
  if (position > 1) {
    moreTime = describeMore(double(row.estimate.step().count()),
                            double(document.estimate.step().count()));
    if (position == 2 && !isFront(document) && !showsPrices(document) &&
        row.estimate.step() < document.estimate.step())
      moreTime = "fastest";
    moreMoney = describeMore(dollars, document.dollars.value_or(0));
  }
  std::vector<std::string> cells = {
      fmt::format("{}", position),
      describeDegrees(row.strategy),
      describeZero(row.strategy),
      describeMicroBatches(row.strategy, document.model.globalBatch),
      describeSchedule(row.strategy),
      describeRecompute(row.strategy),
      describeTime(row.estimate.step())};
  if (isFront(document))
    cells.push_back(moreTime);
  if (showsPrices(document))
    cells.push_back(describeDollars(dollars));
  cells.push_back(showsPrices(document) ? moreMoney : moreTime);
  if (showsTokens(document))
    cells.push_back(
        describeDollars(dollarsPerBillionTokens(document.model, dollars)));
  cells.push_back(fmt::format("{} of {}", describeBytes(rank.memory.total()),
                              describeBytes(rank.memoryLimit)));
  return cells;
}

} // namespace

std::string describeRanking(const PlanDocument &document) {
  std::vector<std::vector<std::string>> rows{rankingTitles(document)};
  rows.push_back(rankingRow(
      document, 1, {document.strategy, document.estimate, document.dollars}));
  size_t position = 2;
  for (const PlanAlternative &other : document.alternatives)
    rows.push_back(rankingRow(document, position++,
                              {other.strategy, other.estimate, other.dollars}));
  std::string text = describeTable(rows);
  if (isFront(document))
    return text + "each is the cheapest of all that are as fast; the plan is "
                  "the first, --fix devices=N gives another\n";
  position = 2;
  for (const PlanAlternative &other : document.alternatives)
    text += fmt::format("{} is not first: {}\n", position++, other.reason);
  return text;
}

namespace {

/// Whether an alternative takes no longer than the lower bound, so that no plan
/// is better.
bool isBoundReached(const PlanDocument &document) {
  if (document.alternatives.empty() || document.search.stopped ||
      document.search.cost <= document.search.bound)
    return false;
  const PlanAlternative &second = document.alternatives.front();
  if (document.search.objective != "dollars")
    return second.estimate.step().count() == document.search.bound;
  double billionths = second.dollars.value_or(0) * 1e9;
  return std::abs(billionths - double(document.search.bound)) <= 1;
}

} // namespace

std::string describeProof(const PlanDocument &document) {
  const PlanSearchRecord &search = document.search;
  if (search.proof == PlanProof::None)
    return "priced as given, not searched\n";
  auto describe = [&](int64_t cost) {
    return search.objective == "dollars" ? describeDollars(double(cost) * 1e-9)
                                         : describeTime(Nanoseconds(cost));
  };
  // The simplest of equals stands before the best one, whose step is the bound.
  bool isBestBehind = !isFront(document) && isBoundReached(document);
  std::string text = fmt::format(
      "proof: cost {}, lower bound {}, gap {:.2f} % ({})\n",
      describe(search.cost), describe(search.bound), search.gap() * 100,
      search.proof == PlanProof::Exact
          ? (isFront(document)
                 ? "exact: nothing is missing on this front on this cost model"
                 : "exact: nothing is better on this cost model")
          : (isFront(document) ? "of the fastest plan; others may be missing"
             : isBestBehind
                 ? "the simplest of plans that are equal within 0.5 %; nothing "
                   "is better than the one behind it"
                 : "the best there is lies between bound and cost"));
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
  std::string text =
      fmt::format("{} on {}: {} parameters, {}, {}\n\n", model.identity.name,
                  document.cluster.name, describeCount(model.parameters),
                  describeBatch(model), workload::nameOf(model.computeType));
  text += describeRanking(document) + "\n";
  Quantity<struct DevicesUnit> devices(0);
  for (const PlannedPool &pool : document.pools)
    devices += Quantity<DevicesUnit>(pool.devices);
  int64_t idle = devices.count() - document.strategy.rankCount();
  if (idle > 0)
    text +=
        fmt::format("{} of {} devices stay idle\n\n", idle, devices.count());
  if (std::string placement = describePlacement(document); !placement.empty())
    text += placement + "\n";
  text += describeStep(document) + "\n";
  text += describeMemory(document.estimate) + "\n";
  text += describeCheckpoints(document);
  text += describeProof(document);
  text += describeSources(document);
  return text;
}

} // namespace shardsmith
