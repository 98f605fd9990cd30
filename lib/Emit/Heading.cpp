// SPDX-License-Identifier: Apache-2.0

#include "Heading.h"

#include "shardsmith/PlanFiles/PlanReport.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardsmith::emit {

Heading headingOf(const EmitInput &input, std::string start) {
  const PlanDocument &document = input.document;
  const Strategy &strategy = document.strategy;
  const StepEstimate &estimate = document.estimate;
  const StageEstimate &fullest = estimate.ranks[estimate.fullestRank];
  auto scaled = [&](double factor) {
    return describeTime(
        Nanoseconds(int64_t(double(estimate.step().count()) * factor)));
  };
  return {
      onOneLine(fmt::format("{} on {}: {}", document.model.identity.name,
                            document.cluster.name, strategy.str())),
      fmt::format("{}; ZeRO {}; micro-batches {}; schedule {}; recompute {}",
                  describeDegrees(strategy), describeZero(strategy),
                  describeMicroBatches(strategy, input.workload.globalBatch),
                  describeSchedule(strategy), describeRecompute(strategy)),
      fmt::format("step {} (likely {} to {}), memory {} of {} on the fullest "
                  "rank",
                  describeTime(estimate.step()),
                  scaled(1 - estimate.uncertainty),
                  scaled(1 + estimate.uncertainty),
                  describeBytes(fullest.memory.total()),
                  describeBytes(fullest.memoryLimit)),
      std::move(start)};
}

std::string commentsOf(const Heading &heading) {
  return fmt::format("# {}\n# chosen:    {}\n# predicted: {}\n# start:     "
                     "{}\n",
                     heading.plan, heading.chosen, heading.predicted,
                     heading.start);
}

nlohmann::ordered_json jsonOf(const Heading &heading) {
  return {{"plan", heading.plan},
          {"chosen", heading.chosen},
          {"predicted", heading.predicted},
          {"start", heading.start}};
}

std::string onOneLine(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  return text;
}

std::string torchrunSizes(const EmitInput &input) {
  int64_t ranks = input.strategy().rankCount();
  int64_t local = std::min(input.devicesPerNode, ranks);
  return fmt::format("--nnodes {} --nproc-per-node {}",
                     ceilDivide(ranks, local), local);
}

std::string torchrunLines(const EmitInput &input) {
  return fmt::format("exec torchrun {} \\\n"
                     "  --node-rank \"${{NODE_RANK:-0}}\" --master-addr "
                     "\"${{MASTER_ADDR:-localhost}}\" \\\n",
                     torchrunSizes(input));
}

} // namespace shardsmith::emit
