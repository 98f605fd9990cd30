// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Calibrate/RowBatch.h"

#include "shardsmith/Support/Gibibytes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <istream>

namespace shardsmith {
namespace {

using Json = nlohmann::ordered_json;

double secondsOf(Nanoseconds time) { return double(time.count()) * 1e-9; }

Json timeJson(const TimeSplit &time) {
  Json json = {{"compute_s", secondsOf(time.compute)},
               {"recompute_s", secondsOf(time.recompute)}};
  for (auto [name, axis] : unitAxes<Nanoseconds>)
    json[fmt::format("{}_s", name)] = secondsOf(time.*axis);
  json.update({{"data_s", secondsOf(time.data)},
               {"pipeline_s", secondsOf(time.pipeline)},
               {"bubble_s", secondsOf(time.bubble)},
               {"optimizer_s", secondsOf(time.optimizer)},
               {"straggler_s", secondsOf(time.straggler)},
               {"fixed_s", secondsOf(time.fixed)}});
  return json;
}

Json memoryJson(const MemorySplit &memory) {
  return {{"parameters_gib", gibOf(memory.parameters)},
          {"gradients_gib", gibOf(memory.gradients)},
          {"optimizer_state_gib", gibOf(memory.optimizerState)},
          {"activations_gib", gibOf(memory.activations)},
          {"workspace_gib", gibOf(memory.workspace)},
          {"communication_gib", gibOf(memory.communication)},
          {"overhead_gib", gibOf(memory.overhead)}};
}

Json estimateJson(PlanRows &rows, const PlanRow &row,
                  const std::string &defaultProfile) {
  std::string error;
  std::optional<StackProfile> profile =
      findProfile(row.profile.empty() ? defaultProfile : row.profile, error);
  if (!profile)
    return {{"id", row.id}, {"error", error}};
  std::optional<PricedRow> priced = rows.prepare(row, *profile, error);
  if (!priced)
    return {{"id", row.id}, {"error", error}};
  StepEstimate step = priced->estimate(*profile);
  if (step.step().isSaturated())
    return {{"id", row.id},
            {"error", priced->isConnected()
                          ? "this plan cannot run: its figures are too large "
                            "to count"
                          : "this plan cannot run: no link joins the groups of "
                            "the cluster that it lies on"}};
  const StageEstimate &fullest = step.ranks[step.fullestRank];
  return {{"id", row.id},
          {"profile", profile->name},
          {"step_s", secondsOf(step.step())},
          {"memory_gib", gibOf(fullest.memory.total())},
          {"limit_gib", gibOf(fullest.memoryLimit)},
          {"device_gib", gibOf(priced->deviceMemory())},
          {"fits", step.fits()},
          {"uncertainty", step.uncertainty},
          {"time", timeJson(step.time)},
          {"memory", memoryJson(fullest.memory)}};
}

} // namespace

std::vector<BatchLine> readBatch(std::istream &stream) {
  std::vector<BatchLine> lines;
  std::string text;
  for (size_t number = 1; std::getline(stream, text); ++number) {
    if (text.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    BatchLine &line = lines.emplace_back();
    line.number = number;
    line.row = planRowFromJson(text, line.error);
  }
  return lines;
}

std::string estimateLine(PlanRows &rows, const BatchLine &line,
                         const std::string &defaultProfile) {
  Json json = line.row ? estimateJson(rows, *line.row, defaultProfile)
                       : Json{{"line", line.number}, {"error", line.error}};
  // Errors may quote what was read, which need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace shardsmith
