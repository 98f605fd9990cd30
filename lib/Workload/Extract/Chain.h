// SPDX-License-Identifier: Apache-2.0
//
// `@main` as a chain of units: calls, the ops of calls that were inlined, loops
// over layers, and stretches of ops between them that are cut where they
// repeat. All other loops are in a stretch as a whole.
//
//     lookup add │ call @layer │ call @layer │ norm dot … loss
//     lookup add │ loop of 200 (norm dot … add) │ norm dot … loss
//     lookup add │ norm dot … add │ norm dot … add │ norm dot … loss
//
// What a unit makes and a later one reads goes through every unit between.

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_CHAIN_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_CHAIN_H

#include "ModelGraph.h"
#include "shardsmith/Dialect/Smith/InlinedCall.h"

namespace shardsmith::workload {

struct Unit {
  /// Null for ops of `@main`.
  mlir::Operation *call = nullptr;
  /// The call whose ops these were before it was inlined.
  smith::InlinedCall inlined;
  /// The loop over layers that it is, and its iterations.
  std::optional<int64_t> loop;
  int64_t count = 1;
  /// Compute ops: of the stretch or the loop, or of the called function.
  llvm::SmallVector<mlir::Operation *> ops;
  /// Stretches with the same number are likely the same block; -1: alone.
  int repeat = -1;
  /// Values of `@main` that come from units before and go to units behind.
  std::vector<mlir::Value> inputs, outputs;

  bool isStretch() const { return !call && !inlined && !loop; }
};

/// What goes around the loop that a unit is: values of `@main` before it, at
/// the begin and at the end of an iteration, and behind it.
struct CarriedValue {
  mlir::Value start, begin, end, last;
};
std::vector<CarriedValue> carriedThrough(const ModelGraph &graph,
                                         const Unit &unit);

std::vector<Unit> cutIntoUnits(const ModelGraph &graph);

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_CHAIN_H
