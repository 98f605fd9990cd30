// SPDX-License-Identifier: Apache-2.0
//
// Where an update of a scatter goes.

#ifndef SHARDSMITH_LOWER_COMMON_ELEMENTS_SCATTERSHAPE_H
#define SHARDSMITH_LOWER_COMMON_ELEMENTS_SCATTERSHAPE_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/Elements/ElementEmitter.h"

#include <string>

namespace shardsmith::lower {

/// The dimensions of a scatter by their part in it.
struct ScatterShape {
  explicit ScatterShape(stablehlo::ScatterOp scatter);

  /// True if the last dimension of operand and updates is a whole window
  /// dimension, so that columns can be combined lane by lane.
  bool hasLanes() const;

  stablehlo::ScatterDimensionNumbersAttr numbers;
  llvm::ArrayRef<int64_t> operand, updates, indices;
  llvm::SmallVector<int64_t> scatterDimensions, windowOperandDimensions;
};

/// A position in the operand, and whether the update's window says one inside
/// it: an i1, or null for "always". `position` is inside in any case.
struct ScatterPlace {
  LaneIndices position;
  mlir::Value inside;
};

/// Where the element of the updates at `index` goes. All lanes go to the same
/// window.
ScatterPlace placeOf(ElementEmitter &emitter, stablehlo::ScatterOp scatter,
                     const ScatterShape &shape,
                     llvm::ArrayRef<LaneIndex> index);

/// Why a scatter cannot be lowered; empty if it can.
std::string whyNotScatter(stablehlo::ScatterOp scatter);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_ELEMENTS_SCATTERSHAPE_H
