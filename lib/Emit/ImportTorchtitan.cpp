// SPDX-License-Identifier: Apache-2.0

#include "ImportReaders.h"
#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Schedule/ScheduleTable.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

/// Of modules as `tok_embeddings,layers.0,layers.1`; torchtitan calls the head
/// `lm_head` or `output`.
LayoutStage stageOf(std::string_view modules) {
  LayoutStage stage;
  while (!modules.empty()) {
    size_t comma = modules.find(',');
    std::string_view module = modules.substr(0, comma);
    stage.layers += module.starts_with("layers.");
    stage.hasEmbedding |= module == "tok_embeddings";
    stage.hasHead |= module == "lm_head" || module == "output";
    modules.remove_prefix(comma == std::string_view::npos ? modules.size()
                                                          : comma + 1);
  }
  return stage;
}

/// The family whose order for this pipeline the table is; nothing if it is
/// another order.
std::optional<ScheduleFamily> familyOf(const std::string &table,
                                       int64_t pipeline, int64_t virtualStages,
                                       int64_t microBatches) {
  for (const ScheduleTraits &traits : allScheduleTraits()) {
    std::string ignored;
    auto schedule = schedule::makeSchedule(
        traits.family, {pipeline, virtualStages, microBatches}, ignored);
    if (schedule && schedule::toTable(*schedule) == table)
      return traits.family;
  }
  return std::nullopt;
}

} // namespace

std::optional<ScheduleFamily>
readTable(const std::string &path, const std::string &folder,
          ReadBeside readBeside, int64_t pipeline, int64_t virtualStages,
          int64_t microBatches, std::string &error) {
  std::optional<std::string> table =
      readBeside(path.substr(path.rfind('/') + 1), folder);
  if (!table) {
    error = fmt::format("cannot read the schedule '{}'", path);
    return std::nullopt;
  }
  // A forward and a backward pass of each micro-batch and stage take six
  // characters at least; of a shorter table no family is tried.
  int64_t passes = 2 * pipeline * virtualStages * microBatches;
  auto family = int64_t(table->size()) / 3 < passes
                    ? std::nullopt
                    : familyOf(*table, pipeline, virtualStages, microBatches);
  if (!family)
    error = fmt::format("the schedule '{}' is none of a family that plans have",
                        path);
  return family;
}

namespace {

class TorchtitanReader {
public:
  TorchtitanReader(CommandLine &line, const std::string &folder,
                   ReadBeside readBeside, std::string &error)
      : line(line), folder(folder), readBeside(readBeside), error(error) {}

  std::optional<ImportedPlan> run() {
    plan.target = "torchtitan";
    int64_t tensor = degree("tensor-parallel");
    int64_t context = degree("context-parallel");
    pipeline = degree("pipeline-parallel");
    int64_t shard = degree("data-parallel-shard");
    int64_t replicas = degree("data-parallel-replicate");
    add("tp", tensor);
    add("cp", context);
    add("dp", shard * replicas);
    add("ep", degree("expert-parallel"));
    add("pp", pipeline);
    if (!addModules() || !addSchedule())
      return std::nullopt;
    bool shards = shard * context > 1;
    bool keeps = line.text(option("fsdp-reshard-after-forward")) == "never";
    add("zero", !shards ? 0 : keeps ? 2 : 3);
    plan.zeroGroup = shards && replicas > 1 ? shard * context : 0;
    add("recompute", recompute());
    if (tensor > 1)
      add("sp", line.has(option("no-enable-sequence-parallel")) ? "off" : "on");
    add("order", "tp-cp-dp-pp");
    plan.globalBatch = line.number("--training.global-batch-size", 1);
    plan.sequenceLength = line.number("--training.seq-len", 1);
    return plan;
  }

private:
  static std::string option(std::string_view field) {
    return fmt::format("--parallelism.{}", field);
  }
  int64_t degree(std::string_view axis) {
    return line.number(option(fmt::format("{}-degree", axis)), 1);
  }
  template <typename Value>
  void add(std::string_view name, const Value &value) {
    plan.add(name, value);
  }

  bool addModules() {
    std::vector<std::string> parts =
        line.of(option("module-fqns-per-model-part"));
    // A subcommand may stand behind a list.
    std::erase_if(parts, [](const std::string &part) {
      return part.find(':') != std::string::npos;
    });
    std::vector<LayoutStage> stages;
    for (const std::string &part : parts)
      stages.push_back(stageOf(part));
    if (!addStages(stages, pipeline, plan, error))
      return false;
    if (!parts.empty())
      virtualStages = int64_t(parts.size()) / pipeline;
    add("vpp", virtualStages);
    return true;
  }

  bool addSchedule() {
    int64_t local = line.number("--training.local-batch-size", 1);
    if (pipeline == 1) {
      add("mbs", local);
      return true;
    }
    int64_t microBatch =
        line.number(option("pipeline-parallel-microbatch-size"), 1);
    add("mbs", microBatch);
    std::string name = line.text(option("pipeline-parallel-schedule"));
    std::string path = line.text(option("pipeline-parallel-schedule-csv"));
    if (path.empty()) {
      add("schedule", name == "GPipe" ? "gpipe" : "1f1b");
      return true;
    }
    auto family = readTable(path, folder, readBeside, pipeline, virtualStages,
                            local / microBatch, error);
    if (!family)
      return false;
    add("schedule", nameOf(*family));
    return true;
  }

  std::string recompute() const {
    auto choiceIn = [](const std::vector<std::string> &words) {
      for (const std::string &word : words)
        if (word.starts_with("activation-checkpoint:"))
          return word.substr(word.find(':') + 1);
      return std::string();
    };
    std::string found = choiceIn(line.words());
    for (std::string_view last :
         {"module-fqns-per-model-part", "pipeline-parallel-degree"})
      if (found.empty())
        found = choiceIn(line.of(option(last)));
    return found.empty() ? "selective" : found;
  }

  CommandLine &line;
  const std::string &folder;
  ReadBeside readBeside;
  std::string &error;
  ImportedPlan plan;
  int64_t pipeline = 1, virtualStages = 1;
};

} // namespace

std::optional<ImportedPlan> importTorchtitan(CommandLine &line,
                                             const std::string &folder,
                                             ReadBeside readBeside,
                                             std::string &error) {
  return TorchtitanReader(line, folder, readBeside, error).run();
}

} // namespace shardsmith::emit
