// SPDX-License-Identifier: Apache-2.0
//
// Where the elements of a tensor are.
//
//   mesh {data=2, tensor=2}, shape [5, 8], layout [{data}, {tensor}]
//
//            columns 0-3   4-7
//   rows 0-2 [ device 0 | device 1 ]     5 rows in shards of ceil(5/2) = 3;
//   rows 3-4 [ device 2 | device 3 ]     the last shard has one row of padding
//
// A dimension of size n split over k shards has local size ceil(n / k); shard
// i holds elements [i·ceil(n/k), min(n, (i+1)·ceil(n/k))). The rest of its
// local tensor is padding, whose content is unspecified.

#ifndef SHARDSMITH_SHARDING_LAYOUT_H
#define SHARDSMITH_SHARDING_LAYOUT_H

#include "shardsmith/Interfaces/FactorRule.h"
#include "shardsmith/Sharding/Mesh.h"
#include "shardsmith/Support/Quantity.h"

#include "llvm/ADT/Hashing.h"

namespace shardsmith {

struct Layout {
  /// Per dimension the axes that split it, major to minor.
  llvm::SmallVector<AxisList, 4> dims;
  /// Axes over which devices hold partial values, in the order of the mesh.
  AxisList partial;
  /// How partial values combine; Sum if there are none.
  ReductionKind partialKind = ReductionKind::Sum;

  /// Whole on every device.
  static Layout replicated(unsigned rank);

  unsigned getRank() const { return dims.size(); }
  bool isReplicated() const;
  bool isPartial() const { return !partial.empty(); }
  /// True if the axis splits a dimension or is partial.
  bool uses(MeshAxis axis) const;
  /// The same layout with its partial values combined.
  Layout withoutPartial() const;
  /// Makes `axes` partial in addition.
  void addPartial(llvm::ArrayRef<MeshAxis> axes, ReductionKind kind);

  /// `[{"data"}, {}] partial={"tensor"}`
  std::string str(const Mesh &mesh) const;

  bool operator==(const Layout &) const = default;
  friend llvm::hash_code hash_value(const Layout &layout);
};

/// Shape of one device's tensor.
llvm::SmallVector<int64_t> getLocalShape(const Mesh &mesh,
                                         llvm::ArrayRef<int64_t> globalShape,
                                         const Layout &layout);

/// True if splitting `size` elements into `outer` shards and each of those
/// further gives the `inner` shards, of which there are a multiple of `outer`.
/// Rounding can prevent it: of 10 elements, 2 shards have 5 and 6 have 2.
bool isNestedSplit(int64_t size, int64_t outer, int64_t inner);

/// True if some dimension's size is no multiple of its number of shards.
bool isPadded(const Mesh &mesh, llvm::ArrayRef<int64_t> globalShape,
              const Layout &layout);

/// Bytes of a tensor; saturates.
Bytes getTensorBytes(llvm::ArrayRef<int64_t> shape, int64_t elementBytes);

} // namespace shardsmith

#endif // SHARDSMITH_SHARDING_LAYOUT_H
