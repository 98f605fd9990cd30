// SPDX-License-Identifier: Apache-2.0

#include "ImportReaders.h"

#include <charconv>
#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

/// Stages beyond this are typing errors, and would take memory as they say.
constexpr size_t longestLayout = size_t(1) << 16;

/// Writes repetitions out: `(tt|)*2` to `tt|tt|`, `t*3` to `ttt`.
class Expansion {
public:
  explicit Expansion(std::string_view layout) : left(layout) {}

  /// Nothing if brackets or numbers are wrong, or it would be too long.
  std::optional<std::string> run() {
    std::optional<std::string> text = sequence();
    return left.empty() ? text : std::nullopt;
  }

private:
  std::optional<std::string> sequence(int depth = 0) {
    std::string text;
    while (!left.empty() && left.front() != ')') {
      std::optional<std::string> item = one(depth);
      int64_t count = item ? repetitions() : 0;
      if (!item || count < 1 ||
          (item->size() + 1) * size_t(count) + text.size() > longestLayout)
        return std::nullopt;
      for (int64_t i = 0; i < count; ++i)
        text += *item;
    }
    return text;
  }

  std::optional<std::string> one(int depth) {
    char c = left.front();
    left.remove_prefix(1);
    if (c != '(')
      return c == ',' ? "" : std::string(1, c);
    // Brackets in brackets have no use.
    std::optional<std::string> inner =
        depth < 4 ? sequence(depth + 1) : std::nullopt;
    if (!inner || left.empty())
      return std::nullopt;
    left.remove_prefix(1);
    return inner;
  }

  /// Of `*3` behind an item; 1 without, 0 if it is none.
  int64_t repetitions() {
    if (left.empty() || left.front() != '*')
      return 1;
    left.remove_prefix(1);
    int64_t count = 0;
    auto [rest, failure] =
        std::from_chars(left.data(), left.data() + left.size(), count);
    if (failure != std::errc() || count > int64_t(longestLayout))
      return 0;
    left.remove_prefix(size_t(rest - left.data()));
    return count;
  }

  std::string_view left;
};

int64_t stagesPerRank(CommandLine &line, const ImportedPlan &plan,
                      int64_t pipeline) {
  if (!plan.layersOfStages.empty())
    return int64_t(plan.layersOfStages.size()) / pipeline;
  return line.number("--num-virtual-stages-per-pipeline-rank", 1);
}

int64_t zeroStageOf(const CommandLine &line) {
  std::string sharding = line.text("--data-parallel-sharding-strategy");
  if (sharding == "optim_grads_params")
    return 3;
  if (sharding == "optim_grads")
    return 2;
  return line.has("--use-distributed-optimizer") ? 1 : 0;
}

} // namespace

std::optional<std::vector<LayoutStage>>
readMegatronLayout(std::string_view layout, std::string &error) {
  std::optional<std::string> text = Expansion(layout).run();
  std::vector<LayoutStage> stages(1);
  for (char c : text.value_or("?"))
    switch (c) {
    case 'E':
      stages.back().hasEmbedding = true;
      break;
    case 't':
      ++stages.back().layers;
      break;
    case 'L':
      stages.back().hasHead = true;
      break;
    case '|':
      stages.emplace_back();
      break;
    default:
      error = fmt::format("--pipeline-model-parallel-layout: expected letters "
                          "E, t, L, bars and repetitions as (tt|)*3, got '{}'",
                          layout.substr(0, 40));
      return std::nullopt;
    }
  return stages;
}

std::optional<ImportedPlan> importMegatron(CommandLine &line,
                                           std::string &error) {
  ImportedPlan plan;
  plan.target = "megatron";
  int64_t tensor = line.number("--tensor-model-parallel-size", 1);
  int64_t context = line.number("--context-parallel-size", 1);
  int64_t pipeline = line.number("--pipeline-model-parallel-size", 1);
  auto add = [&](std::string_view name, const auto &value) {
    plan.add(name, value);
  };
  add("tp", tensor);
  add("cp", context);
  if (!addWorld(line, tensor * context * pipeline, plan, error))
    return std::nullopt;
  add("ep", line.number("--expert-model-parallel-size", 1));
  add("pp", pipeline);
  if (std::string layout = line.text("--pipeline-model-parallel-layout");
      !layout.empty()) {
    auto stages = readMegatronLayout(layout, error);
    if (!stages || !addStages(*stages, pipeline, plan, error))
      return std::nullopt;
  }
  int64_t virtualStages = stagesPerRank(line, plan, pipeline);
  add("vpp", virtualStages);
  if (pipeline > 1)
    add("schedule", virtualStages > 1 ? "interleaved" : "1f1b");
  add("mbs", line.number("--micro-batch-size", 1));
  add("zero", zeroStageOf(line));
  std::string granularity = line.text("--recompute-granularity");
  add("recompute", granularity.empty() ? "none" : granularity);
  if (context > 1)
    add("context-method",
        line.text("--cp-comm-type") == "a2a" ? "all-to-all" : "ring");
  add("sp", line.has("--sequence-parallel") ? "on" : "off");
  add("order",
      line.has("--use-tp-pp-dp-mapping") ? "tp-cp-pp-dp" : "tp-cp-dp-pp");
  plan.globalBatch = line.number("--global-batch-size", 1);
  plan.sequenceLength = line.number("--seq-length", 1);
  return plan;
}

} // namespace shardsmith::emit
