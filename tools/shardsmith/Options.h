// SPDX-License-Identifier: Apache-2.0
//
// Options that several subcommands share, and the stages they configure.

#ifndef SHARDSMITH_TOOLS_SHARDSMITH_OPTIONS_H
#define SHARDSMITH_TOOLS_SHARDSMITH_OPTIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "shardsmith/Cluster/Cluster.h"
#include "shardsmith/Import/BuildModel.h"
#include "shardsmith/Import/Pipeline.h"
#include "shardsmith/Train/TrainStep.h"

#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace shardsmith {

class Session;

/// Which model, and what its arguments are where the file does not say.
struct ModelOptions {
  std::string path;
  ImportOptions import;
  /// Sizes of models that are described, not given as ops; `model` is unused.
  ModelRequest description;
};

void addModelOptions(CLI::App &command, ModelOptions &options);
void addTrainOptions(CLI::App &command, TrainOptions &options);

/// The model as it was read or built, before import. With a list, calls may
/// stand for several. Throws Stop or Failure.
mlir::OwningOpRef<mlir::ModuleOp>
loadFolded(Session &session, const ModelOptions &options,
           smith::RepeatedCalls *repeated = nullptr);

/// The forward graph of a model file. Throws Stop or Failure.
mlir::OwningOpRef<mlir::ModuleOp> importForward(Session &session,
                                                const ModelOptions &options);

/// The cluster file or built-in cluster. Throws Stop after a message.
Cluster requireCluster(const std::string &nameOrPath);

} // namespace shardsmith

#endif // SHARDSMITH_TOOLS_SHARDSMITH_OPTIONS_H
