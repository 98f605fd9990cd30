// SPDX-License-Identifier: Apache-2.0
//
// `@main` as a chain of units: calls, and stretches of ops between them that
// are cut where they repeat.
//
//     lookup add │ call @layer │ call @layer │ norm dot … loss
//     lookup add │ norm dot … add │ norm dot … add │ norm dot … loss
//
// What a unit makes and a later one reads goes through every unit between.

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_CHAIN_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_CHAIN_H

#include "ModelGraph.h"

namespace shardsmith::workload {

struct Unit {
  /// Null for a stretch of ops.
  mlir::Operation *call = nullptr;
  /// Compute ops: of the stretch, or of the called function.
  llvm::SmallVector<mlir::Operation *> ops;
  /// Stretches with the same number are likely the same block; -1: alone.
  int repeat = -1;
  /// Values of `@main` that come from units before and go to units behind.
  std::vector<mlir::Value> inputs, outputs;
};

std::vector<Unit> cutIntoUnits(const ModelGraph &graph);

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_CHAIN_H
