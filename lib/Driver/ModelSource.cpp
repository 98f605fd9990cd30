// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/ModelSource.h"

#include "llvm/Support/FileSystem.h"

#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/Smith/LoopOps.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Import/LoadModel.h"
#include "shardsmith/Import/ONNX/ReadOnnx.h"
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
  if (!options.dimensions.empty())
    fail(ExitCode::Usage, "--dim is for ONNX files; --seq and --global-batch "
                          "give the sizes of '" +
                              options.path + "'");
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
  bool isPath = path.find('/') != std::string::npos ||
                path.ends_with(".mlir") || isOnnxFile(path);
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
  if (!options.dimensions.empty())
    fail(ExitCode::Usage, "--dim is for ONNX files; the shapes of '" +
                              options.path + "' are all known");
}

/// The graph of an ONNX file, which says types and roles by itself.
mlir::OwningOpRef<mlir::ModuleOp> readOnnxFile(Session &session,
                                               const ModelOptions &options) {
  const ImportOptions &roles = options.import;
  const ModelRequest &description = options.description;
  if (!llvm::sys::fs::exists(options.path))
    refuseMissingModel(options.path);
  if (!roles.params.empty() || !roles.states.empty() || !roles.batch.empty() ||
      description.sequenceLength || !description.elementType.empty())
    fail(ExitCode::Usage,
         "--params, --states, --batch, --seq and --dtype are not for ONNX "
         "files: initializers are parameters, inputs are the batch, and --dim "
         "NAME=SIZE gives the sizes of symbolic dimensions");
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      readOnnx(session.context(), {.path = options.path,
                                   .globalBatch = description.globalBatch,
                                   .dimensions = options.dimensions,
                                   .loss = options.loss,
                                   .constants = roles.constants});
  if (!module)
    fail(module.takeError());
  return std::move(*module);
}

/// What the pipeline is told of roles.
ImportOptions importOptionsOf(const ModelOptions &options) {
  // An ONNX file has been given its roles when it was read.
  ImportOptions import =
      isOnnxFile(options.path) ? ImportOptions() : options.import;
  if (options.unrollsLoops)
    import.keepLoopsAbove = 0;
  import.noteCalls = isModelDescription(options.path);
  if (isOnnxFile(options.path) || options.loss.empty())
    return import;
  if (llvm::StringRef(options.loss).getAsInteger(10, import.loss) ||
      import.loss < 0)
    fail(ExitCode::Usage, "--loss " + options.loss +
                              ": names and cross-entropy:LABELS are for ONNX "
                              "files; give the position of a result");
  return import;
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> loadFolded(Session &session,
                                             const ModelOptions &options,
                                             smith::RepeatedCalls *repeated) {
  if (isModelDescription(options.path))
    return buildDescribed(session, options, repeated);
  if (isOnnxFile(options.path))
    return readOnnxFile(session, options);
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

namespace {

/// Whether the graph has loops, and the plan was made for another graph.
bool isMadeForUnrolled(mlir::ModuleOp module, const ModelOptions &options) {
  if (options.unrollsLoops || options.plannedHash.empty() ||
      !smith::hasLoops(mainOf(module).front()))
    return false;
  auto hash =
      module->getAttrOfType<mlir::StringAttr>(smith::kModelHashAttributeName);
  return hash && hash.getValue() != options.plannedHash;
}

} // namespace

bool lacksLoss(const ModelOptions &options) {
  return isOnnxFile(options.path) && options.loss == "none";
}

mlir::OwningOpRef<mlir::ModuleOp> importForward(Session &session,
                                                const ModelOptions &options) {
  if (lacksLoss(options))
    fail(ExitCode::Usage, "--loss none is for 'shardsmith import': a model "
                          "without a loss cannot be trained");
  mlir::OwningOpRef<mlir::ModuleOp> module = loadFolded(session, options);
  bool isLacking = mayLackDerivatives(*module);
  ExitCode code = ExitCode::Success;
  if (llvm::failed(runImportPipeline(*module, importOptionsOf(options), code)))
    throw Stop{code};
  if (isLacking && !isTrainStep(*module))
    session.note(
        fmt::format("{}: JAX's text keeps no stop_gradient and no custom "
                    "derivatives; if the model has any, write the file with "
                    "shardsmith.jax.export_loss, which does",
                    options.path));
  if (options.perMicroBatch)
    mainOf(*module)->setAttr(smith::kPerMicroBatchAttributeName,
                             mlir::UnitAttr::get(module->getContext()));
  if (isMadeForUnrolled(*module, options)) {
    ModelOptions unrolled = options;
    unrolled.unrollsLoops = true;
    return importForward(session, unrolled);
  }
  session.dump(*module, 0, "imported");
  return module;
}

} // namespace shardsmith
