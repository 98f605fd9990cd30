// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/ModelSource.h"

#include "llvm/Support/FileSystem.h"

#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Import/LoadModel.h"
#include "shardsmith/Train/TrainStep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith {

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
  if (options.perMicroBatch)
    mainOf(*module)->setAttr(smith::kPerMicroBatchAttributeName,
                             mlir::UnitAttr::get(module->getContext()));
  session.dump(*module, 0, "imported");
  return module;
}

} // namespace shardsmith
