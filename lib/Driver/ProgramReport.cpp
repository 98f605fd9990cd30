// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/ProgramReport.h"

#include "shardsmith/PlanFiles/PlanReport.h"
#include "shardsmith/Schedule/ScheduleTable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace shardsmith {
namespace {

/// How the parameters lie: `148 whole, 12 split over tensor`.
std::string describeParameters(const StepPlan &plan) {
  std::map<std::string, int> counts;
  for (const PlannedTensor &tensor : plan.arguments) {
    if (tensor.role != "param")
      continue;
    std::vector<std::string> axes;
    for (const std::vector<std::string> &dim : tensor.axes)
      axes.insert(axes.end(), dim.begin(), dim.end());
    counts[axes.empty()
               ? "whole on every rank"
               : fmt::format("split over {}", fmt::join(axes, ", "))]++;
  }
  std::vector<std::string> parts;
  for (const auto &[layout, count] : counts)
    parts.push_back(fmt::format("{} {}", count, layout));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// Stages of a pipeline; 0 for a table that cannot be read.
int64_t stageCount(const StepPlan &plan) {
  std::string error;
  std::optional<schedule::Schedule> schedule =
      schedule::scheduleFromTable(plan.schedule, error);
  return schedule ? schedule->stageCount : 0;
}

} // namespace

std::string describeMesh(const std::vector<FixedAxis> &mesh) {
  std::vector<std::string> axes;
  for (const FixedAxis &axis : mesh)
    if (axis.size > 1)
      axes.push_back(fmt::format("{}={}", axis.name, axis.size));
  return axes.empty() ? "one device"
                      : fmt::format("{}", fmt::join(axes, " × "));
}

std::string describeProgram(const StepPlan &plan) {
  const StepPrediction &predicted = plan.predicted;
  std::string text;
  auto line = [&](const char *title, const std::string &what) {
    text += fmt::format("{:<11} {}\n", title, what);
  };
  line("plan", fmt::format("{} on {}: {}", plan.model.name, plan.cluster.name,
                           describeMesh(plan.mesh)));
  line("parameters", describeParameters(plan));
  std::string how;
  if (!plan.schedule.empty())
    how = fmt::format(" in {} micro-batches through {} stages",
                      plan.microBatches, stageCount(plan));
  line("step",
       fmt::format("{}{} (predicted)", describeTime(predicted.step), how));
  // Ranks of a pipeline differ.
  bool isPipeline = !predicted.pipelineRanks.empty();
  line("memory",
       fmt::format("{} {}: parameters {}, optimizer state {}, batch {}, "
                   "gradients and activations {}",
                   describeBytes(predicted.peak),
                   isPipeline ? "in the fullest rank" : "per rank",
                   describeBytes(predicted.parameters),
                   describeBytes(predicted.optimizerState),
                   describeBytes(predicted.batch),
                   describeBytes(predicted.gradients + predicted.activations)));
  if (predicted.collectives.empty())
    line("traffic", "none");
  for (const CollectiveTotal &total : predicted.collectives)
    line("traffic",
         fmt::format("{} over {}: {} calls, {} per {}", total.kind,
                     fmt::join(total.axes, ", "), total.calls,
                     describeBytes(total.bytes),
                     isPipeline ? "step of the first rank" : "rank and step"));
  line("layouts",
       fmt::format("cost {} (compute {}, communication {}), lower bound {}, "
                   "gap {:.2f} %, {}; {} meshes, {} ops in {} decisions",
                   describeTime(Nanoseconds(plan.search.cost)),
                   describeTime(plan.search.compute),
                   describeTime(plan.search.communication),
                   describeTime(Nanoseconds(plan.search.lowerBound)),
                   plan.search.gap * 100, plan.search.proof,
                   plan.search.meshes.size(), plan.search.ops,
                   plan.search.decisions));
  return text;
}

std::string memoryShortfall(const PlanDocument &document,
                            const StepPlan &plan) {
  if (!document.hasStrategy() || plan.predicted.source != "program")
    return "";
  Bytes most;
  for (const StageEstimate &rank : document.estimate.ranks)
    most = std::max(most, rank.memoryLimit - rank.memory.overhead);
  Bytes peak = plan.predicted.peak;
  if (peak <= most)
    return "";
  return fmt::format(
      "a rank of the program holds {}, {} more than a device offers, although "
      "the strategy fits; parameters of which stages take parts are whole on "
      "each (docs/loops.md); fix fewer stages, or split parameters with "
      "tensor=… or zero=3",
      describeBytes(peak), describeBytes(peak - most));
}

} // namespace shardsmith
