// SPDX-License-Identifier: Apache-2.0
//
// Ranked plans, and time and memory of ranks.

#include "Sections.h"

#include "shardsmith/PlanFiles/PlanReport.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardsmith::html {
namespace {

/// Exchanges are warm colours, waiting and what is fixed are greys.
const char *colorOfTime(std::string_view name) {
  constexpr std::pair<std::string_view, const char *> colors[] = {
      {"compute", "blue"},
      {"recomputation", "violet"},
      {"tensor communication", "orange"},
      {"context communication", "yellow"},
      {"expert communication", "magenta"},
      {"data communication", "red"},
      {"pipeline communication", "green"},
      {"pipeline bubble", "idle"},
      {"optimizer", "aqua"}};
  for (auto [part, color] : colors)
    if (name == part)
      return color;
  return "fixed";
}

const char *colorOfMemory(std::string_view name) {
  constexpr std::pair<std::string_view, const char *> colors[] = {
      {"parameters", "blue"},      {"gradients", "orange"},
      {"optimizer state", "aqua"}, {"activations", "yellow"},
      {"workspace", "violet"},     {"communication buffers", "red"}};
  for (auto [part, color] : colors)
    if (name == part)
      return color;
  return "fixed";
}

double amountOf(Nanoseconds time) { return double(time.count()); }
double amountOf(Bytes bytes) { return double(bytes.count()); }

/// Without parts that no bar has.
std::vector<BarPart> legendOf(const std::vector<std::vector<BarPart>> &bars) {
  std::vector<BarPart> shown;
  for (size_t i = 0; !bars.empty() && i < bars.front().size(); ++i)
    if (std::ranges::any_of(
            bars, [&](const auto &parts) { return parts[i].amount > 0; }))
      shown.push_back(bars.front()[i]);
  return shown;
}

std::string decisions(const Strategy &strategy, int64_t globalBatch) {
  std::string schedule = describeSchedule(strategy);
  return fmt::format("{}; ZeRO {}; {} micro-batches; {}recompute {}",
                     describeDegrees(strategy), describeZero(strategy),
                     describeMicroBatches(strategy, globalBatch),
                     strategy.pipeline == 1 ? "" : schedule + "; ",
                     describeRecompute(strategy));
}

std::string memoryOf(const StepEstimate &estimate) {
  const StageEstimate &rank = estimate.ranks.at(estimate.fullestRank);
  return fmt::format("{} of {}", describeBytes(rank.memory.total()),
                     describeBytes(rank.memoryLimit));
}

std::string slower(Nanoseconds step, Nanoseconds best) {
  return fmt::format("{:+.1f} %", 100 * (amountOf(step) / amountOf(best) - 1));
}

} // namespace

std::vector<BarPart> timeParts(const TimeSplit &time) {
  std::vector<BarPart> parts;
  for (const TimePart &part : partsOf(time))
    parts.push_back({part.name, amountOf(part.time), describeTime(part.time),
                     colorOfTime(part.name)});
  return parts;
}

std::vector<BarPart> memoryParts(const MemorySplit &memory) {
  std::vector<BarPart> parts;
  for (const MemoryPart &part : partsOf(memory))
    parts.push_back({part.name, amountOf(part.bytes), describeBytes(part.bytes),
                     colorOfMemory(part.name)});
  return parts;
}

std::string comparison(std::span<const ReportedPlan> plans) {
  double longest = 0, largest = 0;
  std::vector<std::vector<BarPart>> times, memories;
  for (const ReportedPlan &plan : plans) {
    const StepEstimate &estimate = plan.document.estimate;
    const StageEstimate &rank = estimate.ranks.at(estimate.fullestRank);
    longest = std::max(longest, amountOf(estimate.step()));
    largest = std::max(
        {largest, amountOf(rank.memory.total()), amountOf(rank.memoryLimit)});
    times.push_back(timeParts(estimate.time));
    memories.push_back(memoryParts(rank.memory));
  }
  std::vector<std::vector<Cell>> rows;
  for (size_t i = 0; i < plans.size(); ++i) {
    const PlanDocument &document = plans[i].document;
    const StepEstimate &estimate = document.estimate;
    rows.push_back(
        {markup(fmt::format("<a href=\"#plan{}\">{}</a>", i + 1,
                            escaped(plans[i].name))),
         text(fmt::format("{} on {}", document.model.identity.name,
                          document.cluster.name)),
         text(decisions(document.strategy, document.model.globalBatch)),
         number(describeTime(estimate.step())), markup(bar(times[i], longest)),
         number(memoryOf(estimate)),
         markup(bar(
             memories[i], largest,
             amountOf(estimate.ranks.at(estimate.fullestRank).memoryLimit)))});
  }
  return section("Plans side by side",
                 "Time of a step, and memory of the fullest rank with its "
                 "limit.",
                 legend(legendOf(times)) + legend(legendOf(memories)) +
                     "<div class=\"compare\">" +
                     table({"plan", "for", "decisions", "step", "time",
                            "memory", "of the limit"},
                           rows) +
                     "</div>\n");
}

std::string ranking(const ReportedPlan &plan) {
  const PlanDocument &document = plan.document;
  struct Row {
    const Strategy &strategy;
    const StepEstimate &estimate;
    std::string reason;
  };
  std::vector<Row> all = {{document.strategy, document.estimate, "the plan"}};
  for (const PlanAlternative &other : document.alternatives)
    all.push_back({other.strategy, other.estimate, other.reason});
  double longest = 0;
  std::vector<std::vector<BarPart>> bars;
  for (const Row &row : all) {
    longest = std::max(longest, amountOf(row.estimate.step()));
    bars.push_back(timeParts(row.estimate.time));
  }
  std::vector<std::vector<Cell>> rows;
  for (size_t i = 0; i < all.size(); ++i)
    rows.push_back(
        {number(std::to_string(i + 1)),
         text(decisions(all[i].strategy, document.model.globalBatch)),
         number(describeTime(all[i].estimate.step())),
         number(i == 0
                    ? ""
                    : slower(all[i].estimate.step(), document.estimate.step())),
         markup(bar(bars[i], longest)), number(memoryOf(all[i].estimate)),
         text(all[i].reason)});
  return section("Ranked plans", "Where the time of a step goes.",
                 legend(legendOf(bars)) + table({"", "decisions", "step", "",
                                                 "time", "memory", "why not"},
                                                rows));
}

std::string rankMemory(const ReportedPlan &plan) {
  const StepEstimate &estimate = plan.document.estimate;
  double largest = 0;
  std::vector<std::vector<BarPart>> bars;
  for (const StageEstimate &rank : estimate.ranks) {
    largest = std::max(
        {largest, amountOf(rank.memory.total()), amountOf(rank.memoryLimit)});
    bars.push_back(memoryParts(rank.memory));
  }
  std::vector<std::vector<Cell>> rows;
  for (size_t i = 0; i < estimate.ranks.size(); ++i) {
    const StageEstimate &rank = estimate.ranks[i];
    rows.push_back({number(std::to_string(i)),
                    markup(bar(bars[i], largest, amountOf(rank.memoryLimit))),
                    number(describeBytes(rank.memory.total())),
                    number(describeBytes(rank.memoryLimit)),
                    number(std::to_string(rank.inFlight))});
  }
  return section("Memory per rank",
                 "One line per pipeline rank: all of its data, tensor and "
                 "context ranks hold as much. The line across is the limit.",
                 legend(legendOf(bars)) +
                     table({"pipeline rank", "memory", "in all", "limit",
                            "micro-batches in flight"},
                           rows));
}

std::string rankTimes(const ReportedPlan &plan) {
  if (!plan.simulation)
    return "";
  std::vector<std::vector<Cell>> rows;
  double longest = amountOf(plan.simulation->makespan);
  std::vector<std::vector<BarPart>> bars;
  for (size_t i = 0; i < plan.simulation->ranks.size(); ++i) {
    const schedule::RankTimeline &rank = plan.simulation->ranks[i];
    Nanoseconds outside = plan.simulation->makespan - rank.span();
    bars.push_back(
        {{"works", amountOf(rank.busy), describeTime(rank.busy), "blue"},
         {"waits within its step", amountOf(rank.idle()),
          describeTime(rank.idle()), "idle"},
         {"before it begins and after it ends", amountOf(outside),
          describeTime(outside), "fixed"}});
    std::vector<Cell> row = {
        number(std::to_string(i)), markup(bar(bars.back(), longest)),
        number(describeTime(rank.busy)), number(describeTime(rank.idle()))};
    if (i < plan.document.estimate.ranks.size()) {
      row.push_back(
          number(describeTime(plan.document.estimate.ranks[i].forward)));
      row.push_back(
          number(describeTime(plan.document.estimate.ranks[i].backward)));
    }
    rows.push_back(row);
  }
  return section("Time per rank", "As the simulation of the schedule has it.",
                 legend(legendOf(bars)) +
                     table({"pipeline rank", "time", "works", "waits",
                            "forward of a micro-batch", "backward"},
                           rows));
}

std::string sensitivity(const ReportedPlan &plan) {
  if (plan.sensitivity.empty())
    return "";
  Nanoseconds best = plan.document.estimate.step();
  double most = 0;
  auto extra = [&](const SensitivityAnswer &answer) {
    return std::max(0.0, amountOf(*answer.step) - amountOf(best));
  };
  for (const SensitivityAnswer &answer : plan.sensitivity)
    if (answer.step)
      most = std::max(most, extra(answer));
  std::vector<const SensitivityAnswer *> sorted;
  for (const SensitivityAnswer &answer : plan.sensitivity)
    sorted.push_back(&answer);
  // What costs most first; what does not fit before everything.
  std::ranges::sort(sorted, [](auto *one, auto *other) {
    if (one->step.has_value() != other->step.has_value())
      return !one->step;
    // Those that are equal stay in the order in which they were asked.
    if (one->step == other->step)
      return one < other;
    return *one->step > *other->step;
  });
  std::vector<std::vector<Cell>> rows;
  for (const SensitivityAnswer *answer : sorted) {
    if (!answer->step) {
      rows.push_back({text(answer->pin), text("does not fit"), text(""),
                      text(""), text(answer->strategy), text(answer->reason)});
      continue;
    }
    std::string change = slower(*answer->step, best);
    rows.push_back(
        {text(answer->pin), number(describeTime(*answer->step)),
         number(change + (answer->stopped ? " at most" : "")),
         markup(bar({{answer->pin, extra(*answer), change, "orange"}}, most)),
         text(answer->strategy), text(answer->reason)});
  }
  return section(
      "Sensitivity",
      "The best plan with one more thing given, and what that "
      "costs.",
      table({"given", "step", "", "costs", "best plan then", "why"}, rows));
}

} // namespace shardsmith::html
