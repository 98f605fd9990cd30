// SPDX-License-Identifier: Apache-2.0
//
// A batch of matrices at arbitrary strides, and its copies to and from
// contiguous memory, which convert the element type on the way.

#ifndef SHARDSMITH_LIB_RUNTIME_STRIDEDMATRICES_H
#define SHARDSMITH_LIB_RUNTIME_STRIDEDMATRICES_H

#include "shardsmith/Runtime/ElementType.h"
#include "shardsmith/Runtime/ThreadTeam.h"

#include <vector>

namespace shardsmith::runtime {

struct StridedMatrices {
  ElementType type = SMITH_F32;
  std::vector<int64_t> batch; // sizes
  std::vector<int64_t> batchStride;
  int64_t rows = 1, columns = 1;
  int64_t rowStride = 1, columnStride = 1;

  int64_t matrixCount() const;
  int64_t elementCount() const { return matrixCount() * rows * columns; }
  /// Offset of the first element of a matrix, counted with the last batch
  /// dimension fastest.
  int64_t matrixOffset(int64_t index) const;

  StridedMatrices transposed() const;
  /// The same sizes, contiguous, as elements of another type.
  StridedMatrices contiguous(ElementType type) const;
  /// Whether rows or columns are contiguous and do not overlap: what a
  /// matrix library reads without copying.
  bool hasUnitStride() const;
  /// Strides of dimensions of size one mean nothing; gives them values that
  /// do not stand in the way of hasUnitStride.
  void normalizeStrides();
};

/// Copies strided to contiguous. `type` is the source's own type, or one that
/// holds it: SMITH_F32, SMITH_F64, or SMITH_U64 for all integers modulo 2^64.
void packMatrices(const StridedMatrices &from, const void *source,
                  ElementType type, void *target, const ThreadTeam &team);

/// Copies contiguous elements of `type`, as above, to strided.
void unpackMatrices(const StridedMatrices &to, void *target, ElementType type,
                    const void *source, const ThreadTeam &team);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_STRIDEDMATRICES_H
