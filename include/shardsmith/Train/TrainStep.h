// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TRAIN_TRAINSTEP_H
#define SHARDSMITH_TRAIN_TRAINSTEP_H

#include "shardsmith/Support/ExitCode.h"
#include "shardsmith/Train/Attention.h"
#include "shardsmith/Train/ExpertRows.h"
#include "shardsmith/Train/Optimizer.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace shardsmith {

/// In which type contractions of a train step multiply.
enum class ComputeType {
  AsWritten,
  BFloat16, ///< those of f32 values round their operands to bf16
  Float8,   ///< likewise; products of layers round theirs to eight bits
};

/// As options name it: `f32`, `bf16`, `f8`.
llvm::StringRef nameOf(ComputeType type);
/// Nothing if there is none of the name.
std::optional<ComputeType> computeTypeNamed(llvm::StringRef name);

/// How a forward graph becomes a train step.
struct TrainOptions {
  OptimizerOptions optimizer;
  /// Largest global norm of the gradients.
  std::optional<double> clipNorm;
  ComputeType computeType = ComputeType::AsWritten;
  /// From how many scores per head on attention is one op; `buildTrainStep`
  /// leaves that to its callers, who know the target.
  int64_t leastAttentionScores = shardsmith::leastAttentionScores;
  /// As in ExpertRanks.
  ExpertExchange expertExchange = ExpertExchange::Cheaper;
  double expertCapacity = 0;
};

/// True if `@main` returns parameters: nothing is left to differentiate.
bool isTrainStep(mlir::ModuleOp module);

/// Rewrites the forward graph `@main(params…, batch…) -> loss` to the train
/// step `@main(params…, states…, batch…) -> (params'…, states'…, loss)`. Leaves
/// a train step as it is. On failure diagnostics have been emitted, and
/// `exitCode` says whether an option makes no sense, the graph is wrong, or it
/// holds an op without a derivative.
llvm::LogicalResult buildTrainStep(mlir::ModuleOp module,
                                   const TrainOptions &options,
                                   ExitCode *exitCode = nullptr);

} // namespace shardsmith

#endif // SHARDSMITH_TRAIN_TRAINSTEP_H
