// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/LaunchScript.h"

#include "shardsmith/Driver/Session.h"

#include <filesystem>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace shardsmith {
namespace {

/// The choice that all units share, if they do.
std::optional<Recompute> commonRecompute(const Strategy &strategy) {
  std::optional<Recompute> common;
  for (const Stage &stage : strategy.stages)
    for (Recompute choice : stage.recompute) {
      if (common && *common != choice)
        return std::nullopt;
      common = choice;
    }
  return common;
}

/// The order in which Megatron-LM numbers devices: tensor fastest, then
/// context, data and pipeline.
bool hasUsualOrder(const Strategy &strategy) {
  std::vector<PlanAxis> used, usual;
  for (PlanAxis axis : strategy.deviceOrder)
    if (strategy.degree(axis) > 1)
      used.push_back(axis);
  for (PlanAxis axis : Strategy().deviceOrder)
    if (strategy.degree(axis) > 1)
      usual.push_back(axis);
  return used == usual;
}

/// Decisions that the flags cannot express.
std::vector<std::string> obstacles(const PlanDocument &document) {
  const Strategy &strategy = document.strategy;
  std::vector<std::string> list;
  if (!hasUsualOrder(strategy))
    list.push_back("a device order other than tensor, context, data, pipeline");
  if (!commonRecompute(strategy))
    list.push_back("recomputation that differs between layers");
  if (!strategy.dataShares.empty())
    list.push_back("micro-batches that differ between data ranks");
  if (strategy.schedule != ScheduleFamily::OneForwardOneBackward &&
      strategy.schedule != ScheduleFamily::Interleaved && strategy.pipeline > 1)
    list.push_back(fmt::format("the schedule {}", nameOf(strategy.schedule)));
  if (strategy.zeroStage > 0 && strategy.zeroGroup != 0 &&
      strategy.zeroGroup != strategy.data * strategy.context)
    list.push_back("optimizer sharding in groups");
  return list;
}

std::vector<std::string> flagsOf(const PlanDocument &document) {
  const Strategy &strategy = document.strategy;
  std::vector<std::string> flags = {
      fmt::format("--tensor-model-parallel-size {}", strategy.tensor),
      fmt::format("--pipeline-model-parallel-size {}", strategy.pipeline),
      fmt::format("--context-parallel-size {}", strategy.context),
      fmt::format("--micro-batch-size {}", strategy.microBatch),
      fmt::format("--global-batch-size {}", document.model.globalBatch),
      fmt::format("--seq-length {}", document.model.sequenceLength)};
  if (strategy.expert > 1)
    flags.push_back(
        fmt::format("--expert-model-parallel-size {}", strategy.expert));
  if (strategy.tensor > 1)
    flags.push_back("--sequence-parallel");
  if (strategy.pipeline > 1 && strategy.virtualStages > 1)
    flags.push_back(fmt::format("--num-virtual-stages-per-pipeline-rank {}",
                                strategy.virtualStages));
  switch (strategy.zeroStage) {
  case 0:
    break;
  case 1:
    flags.push_back("--use-distributed-optimizer");
    break;
  default:
    flags.push_back("--use-distributed-optimizer");
    flags.push_back(fmt::format(
        "--data-parallel-sharding-strategy {}",
        strategy.zeroStage == 2 ? "optim_grads" : "optim_grads_params"));
  }
  if (commonRecompute(strategy) == Recompute::Selective)
    flags.push_back("--recompute-granularity selective");
  if (commonRecompute(strategy) == Recompute::Full)
    flags.push_back("--recompute-granularity full --recompute-method uniform "
                    "--recompute-num-layers 1");
  return flags;
}

/// For comments: a name from a file may have line breaks, and what is behind
/// them would be run.
std::string onOneLine(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  return text;
}

std::string stagesComment(const Strategy &strategy) {
  if (strategy.stages.size() < 2)
    return "";
  std::string sizes;
  for (const Stage &stage : strategy.stages)
    sizes += fmt::format(" {}", stage.end - stage.begin);
  return fmt::format("# Units per stage, embedding and head counted:{}\n",
                     sizes);
}

} // namespace

std::string programScript(int64_t ranks) {
  return fmt::format(R"(#!/bin/sh
# Builds the program of this folder and trains with it; options are passed on.
set -e
folder=$(dirname "$0")
shardsmith compile "$folder"
exec shardsmith run "$folder" --ranks {} "$@"
)",
                     ranks);
}

std::string launchScript(const PlanDocument &document, const Cluster &cluster) {
  int64_t perNode = cluster.groups.front().node.deviceCount();
  int64_t ranks = document.strategy.rankCount();
  int64_t local = std::min(perNode, ranks);
  std::string text = fmt::format(
      "#!/bin/sh\n"
      "# {} on {}: {}\n"
      "# Give the training script and the flags of its model and data:\n"
      "#   run.sh pretrain_gpt.py ...\n",
      onOneLine(document.model.identity.name), onOneLine(document.cluster.name),
      document.strategy.str());
  text += stagesComment(document.strategy);
  std::vector<std::string> problems = obstacles(document);
  for (const std::string &problem : problems)
    text += fmt::format("# Megatron-LM's flags cannot say: {}\n", problem);
  if (!problems.empty())
    text += "echo 'this plan needs more than flags can say, see the comments "
            "in run.sh' >&2\nexit 3\n";
  text += fmt::format("exec torchrun --nnodes {} --nproc-per-node {} \\\n"
                      "  --node-rank \"${{NODE_RANK:-0}}\" --master-addr "
                      "\"${{MASTER_ADDR:-localhost}}\" \\\n"
                      "  \"$@\"",
                      ceilDivide(ranks, local), local);
  for (const std::string &flag : flagsOf(document))
    text += " \\\n  " + flag;
  return text + "\n";
}

void writeExecutable(const std::string &path, const std::string &text) {
  namespace fs = std::filesystem;
  writeOutput(path, text);
  std::error_code error;
  fs::permissions(path,
                  fs::perms::owner_exec | fs::perms::group_exec |
                      fs::perms::others_exec,
                  fs::perm_options::add, error);
  if (error)
    fail(ExitCode::Environment, path + ": " + error.message());
}

} // namespace shardsmith
