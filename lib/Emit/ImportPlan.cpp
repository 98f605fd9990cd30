// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Emit/ImportPlan.h"

#include "CommandLine.h"
#include "ImportReaders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith::emit {

void ImportedPlan::add(std::string_view name, int64_t value) {
  decisions.emplace_back(name, fmt::format("{}", value));
}

void ImportedPlan::add(std::string_view name, std::string_view value) {
  decisions.emplace_back(name, value);
}

std::string ImportedPlan::fixText() const {
  std::string text;
  for (const auto &[name, value] : decisions)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  return text;
}

bool addWorld(CommandLine &line, int64_t shards, ImportedPlan &plan,
              std::string &error) {
  if (!line.has("--nproc-per-node"))
    return true;
  int64_t ranks =
      line.number("--nnodes", 1) * line.number("--nproc-per-node", 1);
  if (ranks % shards != 0) {
    error = fmt::format("{} ranks are no multiple of {} of one data rank",
                        ranks, shards);
    return false;
  }
  plan.decisions.emplace_back("dp", fmt::format("{}", ranks / shards));
  return true;
}

bool addStages(const std::vector<LayoutStage> &stages, int64_t pipeline,
               ImportedPlan &plan, std::string &error) {
  if (int64_t(stages.size()) % pipeline != 0) {
    error = fmt::format("{} stages are no multiple of {} pipeline ranks",
                        stages.size(), pipeline);
    return false;
  }
  bool areEven = true, areEmpty = false;
  std::vector<int64_t> units;
  for (const LayoutStage &stage : stages) {
    areEven &= stage.layers == stages.front().layers;
    areEmpty |= stage.units() == 0;
    units.push_back(stage.units());
    plan.layersOfStages.push_back(stage.layers);
  }
  // No plan has a stage without units.
  if (!areEven && !areEmpty)
    plan.add("stages", fmt::format("{}", fmt::join(units, "+")));
  return true;
}

std::optional<ImportedPlan> importPlan(std::string_view text,
                                       const std::string &folder,
                                       ReadBeside readBeside,
                                       std::string &error) {
  error.clear();
  size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{')
    return importJson(text, folder, readBeside, error);
  CommandLine line(text);
  std::optional<ImportedPlan> plan;
  if (line.has("--tensor-model-parallel-size"))
    plan = importMegatron(line, error);
  else if (line.has("--parallelism.tensor-parallel-degree"))
    plan = importTorchtitan(line, folder, readBeside, error);
  else if (plan = importDataParallel(line, error); !plan && error.empty())
    plan = importYaml(text, error);
  if (!plan && error.empty())
    error = "no options of Megatron-LM (--tensor-model-parallel-size) or of "
            "torchtitan (--parallelism.tensor-parallel-degree), no start of "
            "Horovod (horovodrun) or of MXNet (SHARDSMITH_KVSTORE), and no "
            "configuration of Megatron-Bridge, nanotron, accelerate, DeepSpeed "
            "or transformers";
  if (error.empty())
    error = line.problem();
  return error.empty() ? plan : std::nullopt;
}

} // namespace shardsmith::emit
