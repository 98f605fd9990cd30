// SPDX-License-Identifier: Apache-2.0
//
// Where a model and a cluster come from: files, configurations, built-in names.

#ifndef SHARDSMITH_DRIVER_MODELSOURCE_H
#define SHARDSMITH_DRIVER_MODELSOURCE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "shardsmith/Cluster/Cluster.h"
#include "shardsmith/Import/BuildModel.h"
#include "shardsmith/Import/Pipeline.h"

#include <string>

namespace shardsmith {

class Session;

/// Which model, and what its arguments are where the file does not say.
struct ModelOptions {
  std::string path;
  ImportOptions import;
  /// Sizes of models that are described, not given as ops; `model` is unused.
  ModelRequest description;
  /// The loss: the position of a result, or for ONNX files what
  /// `OnnxRequest::loss` says.
  std::string loss;
  /// Sizes of symbolic dimensions of ONNX files, "sequence=128,heads=8".
  std::string dimensions;
  /// Where single samples use a value of the whole batch, every micro-batch
  /// takes its own.
  bool perMicroBatch = false;
  /// No counted loop stays a loop (docs/loops.md).
  bool unrollsLoops = false;
  /// The hash of the graph that a plan was made for, which says whether its
  /// loops were unrolled; empty if there is no such plan.
  std::string plannedHash;
};

/// The model as it was read or built, before import. With a list, calls may
/// stand for several. Throws Stop or Failure.
mlir::OwningOpRef<mlir::ModuleOp>
loadFolded(Session &session, const ModelOptions &options,
           smith::RepeatedCalls *repeated = nullptr);

/// Whether the model is an ONNX file that is to be read without a loss, to be
/// looked at.
bool lacksLoss(const ModelOptions &options);

/// The forward graph of a model file. With the hash of a plan's graph, loops
/// are unrolled if that gives this graph. Throws Stop or Failure.
mlir::OwningOpRef<mlir::ModuleOp> importForward(Session &session,
                                                const ModelOptions &options);

/// The cluster file or built-in cluster. Throws Stop after a message.
Cluster requireCluster(const std::string &nameOrPath);
} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_MODELSOURCE_H
