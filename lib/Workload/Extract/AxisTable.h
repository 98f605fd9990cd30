// SPDX-License-Identifier: Apache-2.0
//
// What the dimensions of a graph's tensors run over. Dimensions that some op
// ties together are one *axis*; a reshape that cuts a dimension cuts its axis,
// and thereby every other dimension of that axis:
//
//     projection [b, s, 4096] ─reshape─▶ heads [b, s, 8, 4, 128]
//
// makes 4096 an axis of three parts, in the projection's result as in its
// weight. The parts that are not cut further are the *leaves*.

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_AXISTABLE_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_AXISTABLE_H

#include "shardsmith/Workload/Workload.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <set>

namespace shardsmith::workload {

using AxisId = unsigned;

class AxisTable {
public:
  AxisId add(int64_t size);

  /// Makes the axes one. False if their sizes or their parts do not agree;
  /// then they stay apart (some of their parts may have become one).
  bool unify(AxisId a, AxisId b);

  /// Parts of these sizes, major to minor, or an empty list if the axis is
  /// cut at other places already.
  llvm::SmallVector<AxisId, 2> split(AxisId axis,
                                     llvm::ArrayRef<int64_t> sizes);

  /// Leaves of more than one element, major to minor. Ids stay the same only
  /// until the next change.
  void appendLeaves(AxisId axis, llvm::SmallVectorImpl<AxisId> &leaves) const;

  /// The same of all axes that have become one, until the next change.
  AxisId root(AxisId axis) const;

  int64_t sizeOf(AxisId axis) const { return axes[axis].size; }

  /// Roles belong to leaves: set and read them when all axes are known.
  FactorRole roleOf(AxisId leaf) const { return axes[root(leaf)].role; }
  void setRole(AxisId axis, FactorRole role);
  /// Of all leaves of an axis.
  std::set<FactorRole> rolesOf(AxisId axis) const;

private:
  struct Axis {
    int64_t size;
    AxisId parent;
    llvm::SmallVector<AxisId, 2> parts;
    FactorRole role = FactorRole::Other;
  };

  bool unifyParts(AxisId a, AxisId b);

  mutable std::vector<Axis> axes;
};

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_AXISTABLE_H
