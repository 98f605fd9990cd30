// SPDX-License-Identifier: Apache-2.0
//
// Axes and parts of axes in one form: an axis of size n is the part (1)n of
// itself. Neighbouring parts merge: (1)2 followed by (2)4 is (1)8.

#ifndef SHARDSMITH_LIB_DIALECT_SDY_AXISPARTS_H
#define SHARDSMITH_LIB_DIALECT_SDY_AXISPARTS_H

#include "shardsmith/Dialect/Sdy/Sdy.h"

namespace shardsmith::sdy {

struct AxisPart {
  llvm::StringRef name;
  int64_t preSize;
  int64_t size;
  bool operator==(const AxisPart &) const = default;
};

using AxisParts = llvm::SmallVector<AxisPart, 2>;

/// Appends axes, merging them with the last part where they continue it.
/// All axes must exist in `mesh`.
inline void appendParts(AxisParts &parts, llvm::ArrayRef<AxisRefAttr> axes,
                        MeshAttr mesh) {
  for (AxisRefAttr axis : axes) {
    SubAxisInfoAttr info = axis.getSubAxisInfo();
    AxisPart part{axis.getName(), info ? info.getPreSize() : 1,
                  axis.getSize(mesh)};
    if (!parts.empty() && parts.back().name == part.name &&
        parts.back().preSize * parts.back().size == part.preSize)
      parts.back().size *= part.size;
    else
      parts.push_back(part);
  }
}

/// True if both refer to some common part of one axis.
inline bool overlap(AxisRefAttr a, AxisRefAttr b) {
  if (a.getName() != b.getName())
    return false;
  SubAxisInfoAttr partA = a.getSubAxisInfo(), partB = b.getSubAxisInfo();
  if (!partA || !partB)
    return true;
  return partA.getPreSize() < partB.getPreSize() * partB.getSize() &&
         partB.getPreSize() < partA.getPreSize() * partA.getSize();
}

} // namespace shardsmith::sdy

#endif // SHARDSMITH_LIB_DIALECT_SDY_AXISPARTS_H
