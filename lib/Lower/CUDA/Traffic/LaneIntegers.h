// SPDX-License-Identifier: Apache-2.0
//
// The integers of a warp's lanes, and the ops that compute them.

#ifndef SHARDSMITH_LIB_LOWER_CUDA_TRAFFIC_LANEINTEGERS_H
#define SHARDSMITH_LIB_LOWER_CUDA_TRAFFIC_LANEINTEGERS_H

#include "mlir/IR/Operation.h"

#include <array>

namespace shardsmith::lower {

/// One bit per lane.
using LaneMask = uint32_t;
inline constexpr int64_t lanesOfWarp = 32;
inline constexpr LaneMask allLanes = ~LaneMask(0);

/// An integer, or a vector of a few, in every lane. Integers are kept
/// sign-extended, booleans as 0 and 1. Nothing is known of floats.
struct LaneIntegers {
  using Lanes = std::array<int64_t, lanesOfWarp>;
  /// One entry for each element; none if nothing is known in any lane.
  llvm::SmallVector<Lanes, 1> elements;
  /// Lanes all of whose elements are known.
  LaneMask known = 0;
  /// Every element is the same in all lanes where it is known.
  bool isUniform = false;

  bool isKnown(int64_t lane) const { return known >> lane & 1; }
  /// Of a value with one element, in a lane where it is known.
  int64_t at(int64_t lane) const { return elements.front()[size_t(lane)]; }

  /// With room for `count` elements that are not known yet.
  static LaneIntegers ofElements(size_t count) {
    LaneIntegers result;
    result.elements.resize(count);
    return result;
  }

  /// All lanes know what lane 0 does.
  void fillFromFirstLane() {
    for (Lanes &each : elements)
      each.fill(each.front());
    known = allLanes;
    isUniform = true;
  }
};

/// What `op` computes in all lanes from what is known of its operands. The op
/// has one result, of integers.
LaneIntegers computeIntegers(mlir::Operation *op,
                             llvm::ArrayRef<const LaneIntegers *> operands);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_CUDA_TRAFFIC_LANEINTEGERS_H
