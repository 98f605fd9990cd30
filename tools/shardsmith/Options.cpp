// SPDX-License-Identifier: Apache-2.0

#include "Options.h"

#include "NumberIn.h"
#include "Session.h"

#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Import/LoadModel.h"
#include "shardsmith/Train/TrainStep.h"
#include "llvm/Support/FileSystem.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith {

void addModelOptions(CLI::App &command, ModelOptions &options) {
  command
      .add_option("model", options.path,
                  "StableHLO text, as JAX's lowered.as_text() writes it; or a "
                  "Hugging Face config.json, its folder, or a built-in name "
                  "such as gpt2-124m")
      ->required();
  const char *sizes = "Sizes, for built-in names and config.json";
  command
      .add_option("--seq", options.description.sequenceLength,
                  "Positions per sequence")
      ->group(sizes);
  command
      .add_option("--global-batch", options.description.globalBatch,
                  "Sequences of one step")
      ->group(sizes);
  command
      .add_option("--dtype", options.description.elementType,
                  "Type of parameters and activations: bf16, f16 or f32")
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
                  "Positions of arguments that never change")
      ->group(group);
  command
      .add_option("--loss", options.import.loss,
                  "Position of the loss among the results")
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
            options.computeInBFloat16 = name == "bf16";
          },
          "f32, or bf16 with f32 master weights")
      ->check(CLI::IsMember({"f32", "bf16"}))
      ->group(group);
}

Cluster requireCluster(const std::string &nameOrPath) {
  if (nameOrPath.empty())
    fail(ExitCode::Usage, "give the cluster with --cluster; for this machine "
                          "try --cluster cpu:4");
  ClusterResult result = findCluster(nameOrPath);
  for (const ClusterIssue &warning : result.warnings)
    fmt::print(stderr, "warning: {}\n", warning.str());
  if (!result.cluster) {
    for (const ClusterIssue &error : result.errors)
      fmt::print(stderr, "error: {}\n", error.str());
    throw Stop{ExitCode::BadInput};
  }
  return std::move(*result.cluster);
}

namespace {

/// The graph of a built-in name or configuration, still folded.
mlir::OwningOpRef<mlir::ModuleOp>
buildDescribed(Session &session, const ModelOptions &options,
               smith::RepeatedCalls *repeated) {
  ModelRequest request = options.description;
  request.model = options.path;
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      buildModel(session.context(), request, repeated);
  if (!module)
    fail(module.takeError());
  return std::move(*module);
}

/// Paths of files are left to those who read them.
void refuseMissingModel(const std::string &path) {
  std::string hint = suggestBuiltinModel(path);
  bool isPath = path.find('/') != std::string::npos || path.ends_with(".mlir");
  if (hint.empty() && isPath)
    return;
  if (hint.empty())
    hint = fmt::format("built-in models are {}",
                       fmt::join(builtinModelNames(), ", "));
  fail(ExitCode::BadInput,
       fmt::format("there is no model or file '{}'; {}", path, hint));
}

/// A name that is nearly a built-in one is a misspelt one; a file of ops says
/// its own sizes.
void checkModelFile(const ModelOptions &options) {
  if (!llvm::sys::fs::exists(options.path))
    refuseMissingModel(options.path);
  const ModelRequest &description = options.description;
  if (description.sequenceLength || description.globalBatch ||
      !description.elementType.empty())
    fail(ExitCode::Usage, "--seq, --global-batch and --dtype are for built-in "
                          "names and config.json; '" +
                              options.path + "' is a file of ops");
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> loadFolded(Session &session,
                                             const ModelOptions &options,
                                             smith::RepeatedCalls *repeated) {
  if (isModelDescription(options.path))
    return buildDescribed(session, options, repeated);
  checkModelFile(options);
  ExitCode code = ExitCode::Success;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      loadModel(options.path, session.context(), code);
  if (!module)
    throw Stop{code};
  return module;
}

namespace {

/// JAX says nothing of derivatives when it lowers a function to text.
bool mayLackDerivatives(mlir::ModuleOp module) {
  return module->hasAttr("mhlo.num_partitions") &&
         !module->hasAttr(smith::kDerivativesMarkedAttributeName);
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> importForward(Session &session,
                                                const ModelOptions &options) {
  mlir::OwningOpRef<mlir::ModuleOp> module = loadFolded(session, options);
  bool isLacking = mayLackDerivatives(*module);
  ExitCode code = ExitCode::Success;
  if (llvm::failed(runImportPipeline(*module, options.import, code)))
    throw Stop{code};
  if (isLacking && !isTrainStep(*module))
    fmt::print(stderr,
               "note: {}: JAX's text keeps no stop_gradient and no custom "
               "derivatives; if the model has any, write the file with "
               "shardsmith.jax.export_loss, which does\n",
               options.path);
  session.dump(*module, 0, "imported");
  return module;
}

} // namespace shardsmith
