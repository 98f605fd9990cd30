// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TRAIN_EXPERTROWS_H
#define SHARDSMITH_TRAIN_EXPERTROWS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace shardsmith {

/// Over how many ranks experts are spread, and along which axes of the mesh.
struct ExpertRanks {
  int64_t count = 1;
  llvm::SmallVector<std::string> axes;
};

/// Rewrites mixtures of experts in `@main` of a loss graph, as the pass
/// `unsort-expert-rows` does. With several ranks every grouped product must be
/// one whose rows can be followed; otherwise a diagnostic names the op that
/// prevents it, and this fails.
llvm::LogicalResult unsortExpertRows(mlir::ModuleOp module,
                                     const ExpertRanks &ranks);

} // namespace shardsmith

#endif // SHARDSMITH_TRAIN_EXPERTROWS_H
