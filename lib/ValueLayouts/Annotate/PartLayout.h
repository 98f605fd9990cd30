// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_ANNOTATE_PARTLAYOUT_H
#define SHARDSMITH_LIB_VALUELAYOUTS_ANNOTATE_PARTLAYOUT_H

#include "shardsmith/Sharding/ShardingAttributes.h"
#include "shardsmith/Workload/GraphMap.h"

namespace shardsmith::annotate {

/// Where the elements of a value are, by its parts.
struct PartLayout {
  /// For each part the axes that split it, major to minor.
  llvm::SmallVector<AxisList, 4> axes;
  /// Neighbouring parts with one number (not -1) are split as one; the first
  /// has their axes.
  llvm::SmallVector<int, 4> groups;

  static PartLayout whole(size_t parts) {
    return {llvm::SmallVector<AxisList, 4>(parts),
            llvm::SmallVector<int, 4>(parts, -1)};
  }
  bool splitsAlike(const PartLayout &other) const { return axes == other.axes; }
};

/// A layout by dimensions, and beside it what dimensions cannot say: axes that
/// split a dimension inside, or into parts that are no equal slices of it.
struct WrittenLayout {
  Layout layout;
  struct Inside {
    unsigned dim;
    llvm::SmallVector<int64_t> sizes;
    llvm::SmallVector<AxisList> axes;
  };
  llvm::SmallVector<Inside, 1> inside;
};
WrittenLayout write(const Mesh &mesh, unsigned rank,
                    llvm::ArrayRef<workload::ValuePart> parts,
                    const PartLayout &layout);

/// `[#smith.parts<…>, …]`
mlir::ArrayAttr toAttribute(mlir::MLIRContext *context, const Mesh &mesh,
                            llvm::ArrayRef<WrittenLayout::Inside> inside);

} // namespace shardsmith::annotate

#endif // SHARDSMITH_LIB_VALUELAYOUTS_ANNOTATE_PARTLAYOUT_H
