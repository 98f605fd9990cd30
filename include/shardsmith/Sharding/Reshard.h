// SPDX-License-Identifier: Apache-2.0
//
// Which collectives turn one layout of a tensor into another. The partitioner
// emits these steps and the planner adds up their prices, so both always mean
// the same program.

#ifndef SHARDSMITH_SHARDING_RESHARD_H
#define SHARDSMITH_SHARDING_RESHARD_H

#include "shardsmith/Sharding/Communication.h"
#include "shardsmith/Sharding/Layout.h"

#include <vector>

namespace shardsmith {

struct ReshardStep {
  enum class Kind {
    /// Each device keeps a part of dimension `dim`. No communication.
    AllSlice,
    /// Devices that differ along `axes` exchange whole shards; see
    /// `getPermutePairs`.
    CollectivePermute,
    /// `axes` move from the minor end of `dim` to the end of `targetDim`.
    AllToAll,
    /// `axes` leave the minor end of `dim`.
    AllGather,
    /// Partial values over `axes` are combined.
    AllReduce,
    /// The same, each device keeping its part of `dim`.
    ReduceScatter,
    /// One device of a group keeps its value, the others get the neutral
    /// element: the value becomes partial over `axes`. No communication.
    MakePartial,
  };

  Kind kind;
  /// The group of the collective, major to minor.
  AxisList axes = {};
  unsigned dim = 0;
  unsigned targetDim = 0;
  ReductionKind reduction = ReductionKind::Sum;
  /// Layouts around the step.
  Layout before = {}, after = {};
  /// Local shape that enters the collective: that of `before`, with split
  /// dimensions padded to a multiple of the group where they do not divide.
  llvm::SmallVector<int64_t> inputShape = {};
  /// Communication bytes that a rank counts (a permute: if it sends).
  Bytes bytes = {};
};

/// The steps from one layout of a tensor of this global shape to another,
/// empty if they are equal. Always succeeds; deterministic.
///
/// Values shrink as early and grow as late as possible. On one mesh axis the
/// steps send as few bytes as any sequence of collectives; on two axes four
/// pairs of layouts in five do, and the others at most 3.3 times as many (they
/// reverse axes or swap dimensions).
///
/// Rounds of the first applicable of these steps, until the layout is reached:
///
///   1. all-slice        along axes not in use that continue a dimension, or
///                       that it needs and a permute will put in order
///   2. reduce-scatter   the same, along axes that are partial
///   3. all-to-all       move axes from where they are to where they belong
///   4. permute          put axes in place that have a partner of equal size
///   5. all-to-all       as 3, together with axes that will be gathered
///   6. all-reduce       the partial axes that are left
///   7. all-gather       what keeps one dimension from its target
///
/// Uneven sizes: shards of [a, b] are parts of the shards of [a] only if the
/// rounded sizes agree. Where they do not, a dimension is gathered whole and
/// sliced anew.
std::vector<ReshardStep> decomposeReshard(const Mesh &mesh,
                                          llvm::ArrayRef<int64_t> globalShape,
                                          int64_t elementBytes,
                                          const Layout &from, const Layout &to);

/// Sum of the steps' bytes.
Bytes getReshardBytes(llvm::ArrayRef<ReshardStep> steps);

/// (source, target) of every device for a permute between two layouts with
/// equally many shards per dimension. A bijection; devices that keep their
/// shard are paired with themselves where possible.
llvm::SmallVector<std::pair<int64_t, int64_t>>
getPermutePairs(const Mesh &mesh, const Layout &before, const Layout &after);

/// The axes along which source and target differ in some of these pairs, in the
/// order of the mesh: those that have another place in `after`.
AxisList getPermuteAxes(const Mesh &mesh, const Layout &before,
                        const Layout &after);

} // namespace shardsmith

#endif // SHARDSMITH_SHARDING_RESHARD_H
