// SPDX-License-Identifier: Apache-2.0

#include "Options.h"

#include "NumberIn.h"

#include "shardsmith/Cluster/ClusterReader.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <thread>

namespace shardsmith {
namespace {

constexpr const char *kPlanning = "Planning";

void addMicroBatchOption(CLI::App &command, ModelOptions &options) {
  command
      .add_flag("--per-micro-batch-semantics", options.perMicroBatch,
                "Where samples use a value of the whole batch, as in batch "
                "normalisation, let every micro-batch take its own")
      ->group(kPlanning);
}

} // namespace

void addModelOptions(CLI::App &command, ModelOptions &options) {
  command
      .add_option(
          "model", options.path,
          "StableHLO text, as JAX's lowered.as_text() writes it; an ONNX "
          "file; or a Hugging Face config.json, its folder, or a "
          "built-in name such as gpt2-124m")
      ->required();
  const char *sizes = "Sizes, for built-in names, config.json and ONNX files";
  command
      .add_option("--seq", options.description.sequenceLength,
                  "Positions per sequence; not for ONNX files")
      ->group(sizes);
  command
      .add_option("--global-batch", options.description.globalBatch,
                  "Sequences of one step")
      ->group(sizes);
  command
      .add_option("--dim", options.dimensions,
                  "Sizes of other symbolic dimensions of an ONNX file, as "
                  "sequence=128,heads=8")
      ->group(sizes);
  command
      .add_option(
          "--dtype", options.description.elementType,
          "Type of parameters and activations: bf16, f16 or f32; not for "
          "ONNX files, which have their own")
      ->check(CLI::IsMember({"bf16", "f16", "f32"}))
      ->group(sizes);
  const char *group = "Roles, for files that do not state them";
  command
      .add_option("--params", options.import.params,
                  "Positions of parameters among the arguments, as 0-147,150")
      ->group(group);
  command
      .add_option("--states", options.import.states,
                  "Positions of optimizer state")
      ->group(group);
  command
      .add_option("--batch", options.import.batch,
                  "Positions of the arguments that hold one step's data")
      ->group(group);
  command
      .add_option("--constants", options.import.constants,
                  "Positions of arguments that never change; for ONNX files, "
                  "names of tensors that are not trained")
      ->group(group);
  command
      .add_option("--loss", options.loss,
                  "Position of the loss among the results; for ONNX files also "
                  "an output's name, or cross-entropy:LABELS, which takes the "
                  "output as logits and adds an input LABELS")
      ->group(group);
}

void addTrainOptions(CLI::App &command, TrainOptions &options) {
  const char *group = "Training";
  OptimizerOptions &optimizer = options.optimizer;
  command.add_option("--optimizer", optimizer.name, "sgd, adam or adamw")
      ->check(CLI::IsMember({"sgd", "adam", "adamw"}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--lr", optimizer.learningRate, "Learning rate")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--momentum", optimizer.momentum,
                  "sgd: decay of the momentum, 0 for none")
      ->check(numberIn(0, 1))
      ->group(group);
  command.add_flag("--nesterov", optimizer.nesterov, "sgd: Nesterov momentum")
      ->group(group);
  command
      .add_option("--b1", optimizer.firstDecay,
                  "adam, adamw: decay of the gradients' mean")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--b2", optimizer.secondDecay,
                  "adam, adamw: decay of the squared gradients' mean")
      ->capture_default_str()
      ->group(group);
  command.add_option("--eps", optimizer.epsilon, "adam, adamw: epsilon")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--weight-decay", optimizer.weightDecay,
                  "adamw: decoupled weight decay")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--clip-norm", options.clipNorm,
                  "Clip the gradients to this global norm")
      ->check(numberIn(1e-30, 1e30))
      ->group(group);
  command
      .add_option_function<std::string>(
          "--compute-dtype",
          [&options](const std::string &name) {
            options.computeType = *computeTypeNamed(name);
          },
          "f32, or bf16 with f32 master weights, or f8: bf16 where products "
          "of layers round their operands to floats of eight bits, with a "
          "scale for each tensor")
      ->check(CLI::IsMember({"f32", "bf16", "f8"}))
      ->group(group);
  command
      .add_option("--expert-capacity", options.expertCapacity,
                  "Each expert takes at most ceil(F · rows of a sample ÷ "
                  "experts) rows of a sample, a token having one for each "
                  "expert it chooses; later rows are dropped and counted; "
                  "default: nothing is dropped")
      ->check(numberIn(1e-6, 1e6))
      ->type_name("F")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--expert-exchange",
          [&options](const std::string &name) {
            options.expertExchange = *expertExchangeNamed(name);
          },
          "What ranks with different experts exchange: exactly the rows that "
          "are routed, all tokens in buffers of fixed size, or whichever sends "
          "less if experts are chosen evenly")
      ->check(CLI::IsMember({"cheaper", "fixed", "rows"}))
      ->default_str("cheaper")
      ->group(group);
  command
      .add_option("--attention-scores", options.leastAttentionScores,
                  "From this many scores of a head (queries times keys) on, "
                  "attention is computed block by block")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(group);
}

void addTargetOptions(CLI::App &command, PlanningRequest &request) {
  command
      .add_option("--cluster", request.cluster,
                  fmt::format("Cluster file, or a built-in one: {}",
                              fmt::join(builtinClusterExamples(), ", ")))
      ->group(kPlanning);
  command
      .add_option("--price", request.price,
                  "Dollars per device and hour in place of the cluster's: 2.9, "
                  "or by type h100=2.9,a100-80=1.5")
      ->group(kPlanning);
  command
      .add_option("--profile", request.profile,
                  fmt::format("Software stack, a file or a built-in one: {}; "
                              "default: shardsmith on CPUs, else generic",
                              fmt::join(builtinProfileNames(), ", ")))
      ->group(kPlanning);
  command
      .add_option("--margin,--memory-margin", request.memoryMargin,
                  "Share of each device's memory to leave free")
      ->check(numberIn(0, 0.95))
      ->capture_default_str()
      ->group(kPlanning);
}

void addMemoryOption(CLI::App &command, double &maxMemory) {
  command
      .add_option("--max-memory", maxMemory,
                  "GiB of memory for planning itself, 0 for no limit; it ends "
                  "with the best plan so far")
      ->check(numberIn(0, 1e6))
      ->capture_default_str()
      ->group(kPlanning);
}

void addSearchOptions(CLI::App &command, PlanningRequest &request) {
  addMicroBatchOption(command, request.model);
  command
      .add_option("--fix", request.fix,
                  "Part of the plan: tp=8,pp=4,dp=2,zero=1,recompute=full, …; "
                  "values may be ranges as tp=2..8")
      ->group(kPlanning);
  command
      .add_option("--forbid", request.forbid,
                  "What no plan may use: pp,zero=3,recompute=full, …")
      ->group(kPlanning);
  command
      .add_option(
          "--top", request.top,
          "Plans to show; those at most 1 % behind the first are the best "
          "there are, others the best that were met; a front is shown whole")
      ->check(CLI::Range(1, 100))
      ->capture_default_str()
      ->group(kPlanning);
  command
      .add_option("--time-limit", request.timeLimit,
                  "Seconds for the search, 0 for no limit; it ends with the "
                  "best plan so far, and exit code 124 if a limit was given")
      ->check(numberIn(0, 1e6))
      ->capture_default_str()
      ->group(kPlanning);
  addMemoryOption(command, request.maxMemory);
  request.threads = std::max(1u, std::thread::hardware_concurrency());
  command
      .add_option("--threads", request.threads,
                  "Threads of the search; the plan is the same for any number")
      ->check(CLI::Range(1, 1024))
      ->group(kPlanning);
  command
      .add_option("--objective", request.objective,
                  "What to minimise: time; dollars where all devices have a "
                  "price; front for every plan that no other is as fast as and "
                  "as cheap as")
      ->check(CLI::IsMember({"time", "dollars", "front"}))
      ->capture_default_str()
      ->group(kPlanning);
}

void addScheduleOptions(CLI::App &command, const std::string &verb,
                        GivenSchedule &given) {
  auto *table = command.add_option(
      "--schedule-csv", given.table,
      verb + " this table of torch.distributed.pipelining in place of the "
             "plan's schedule");
  command
      .add_flag("--search-schedule", given.isSearched,
                verb + " the fastest schedule found for the plan's stages and "
                       "memory")
      ->excludes(table);
}

void addOptimizerOption(CLI::App &command, PlanningRequest &request) {
  command
      .add_option("--optimizer", request.train.optimizer.name,
                  "sgd, adam or adamw")
      ->check(CLI::IsMember({"sgd", "adam", "adamw"}))
      ->capture_default_str()
      ->group("Training");
}

void noteGiven(const CLI::App &command, PlanningRequest &request) {
  for (const std::string &name : recordedOptions()) {
    const CLI::Option *option =
        command.get_option_no_throw(fmt::format("--{}", name));
    if (option && option->count() > 0)
      request.given.insert(name);
  }
  request.given.insert("model");
}

void addPlanSources(CLI::App &command, PlanSources &sources) {
  command.add_option("plan", sources.plan, "plan.json, or its folder")
      ->required();
  command.add_option("--model", sources.model,
                     "The model, if it is not where the plan says");
  command.add_option("--cluster", sources.cluster,
                     "The cluster file, if it is not where the plan says");
  command.add_option("--profile", sources.profile,
                     "The profile, if it is not where the plan says");
}

} // namespace shardsmith
