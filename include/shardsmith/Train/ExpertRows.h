// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TRAIN_EXPERTROWS_H
#define SHARDSMITH_TRAIN_EXPERTROWS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace shardsmith {

/// What the ranks of tokens and those of experts exchange.
enum class ExpertExchange {
  /// Whichever sends less if experts are chosen evenly.
  Cheaper,
  /// All tokens of all ranks, in buffers of fixed size.
  Fixed,
  /// Exactly the rows that are routed.
  Rows,
};
/// `cheaper`, `fixed` or `rows`.
llvm::StringRef nameOf(ExpertExchange exchange);
/// Nothing for other names.
std::optional<ExpertExchange> expertExchangeNamed(llvm::StringRef name);

/// Over how many ranks experts are spread, along which axes of the mesh, and
/// how rows come to them.
struct ExpertRanks {
  int64_t count = 1;
  llvm::SmallVector<std::string> axes;
  ExpertExchange exchange = ExpertExchange::Cheaper;
  /// The axes that samples are split over, if each rank of experts has whole
  /// ones; rows are not exchanged where `hasWholeSamples` is false.
  llvm::SmallVector<std::string> tokenAxes;
  bool hasWholeSamples = true;
  /// An expert takes at most ceil(factor · rows of a sample / experts) rows of
  /// a sample; zero: all.
  double capacityFactor = 0;
  /// Samples of the batch: tokens of a sample are one behind the other. Set by
  /// `unsortExpertRows`.
  int64_t samples = 0;
};

/// Rewrites mixtures of experts in all functions of a loss graph, as the pass
/// `unsort-expert-rows` does. With several ranks every grouped product must be
/// one whose rows can be followed; otherwise a diagnostic names the op that
/// prevents it, and this fails.
llvm::LogicalResult unsortExpertRows(mlir::ModuleOp module,
                                     const ExpertRanks &ranks);

/// For questions about the program that `unsortExpertRows` will make, however
/// many ranks have experts: a copy in which rows are in the order of tokens
/// where they can be followed, and all else is left. Null if there are no
/// experts.
mlir::OwningOpRef<mlir::ModuleOp>
copyWithExpertRowsFollowed(mlir::ModuleOp module, mlir::IRMapping &copies);

/// Whether all products of rows with the matrices of their experts are among
/// what can be followed, so that `unsortExpertRows` spreads experts over ranks.
bool followsAllExpertRows(mlir::ModuleOp module);

} // namespace shardsmith

#endif // SHARDSMITH_TRAIN_EXPERTROWS_H
