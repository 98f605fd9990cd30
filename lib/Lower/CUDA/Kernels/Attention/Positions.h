// SPDX-License-Identifier: Apache-2.0
//
// Where rows of queries or of keys are in the sequence.

#ifndef SHARDSMITH_LIB_LOWER_CUDA_KERNELS_ATTENTION_POSITIONS_H
#define SHARDSMITH_LIB_LOWER_CUDA_KERNELS_ATTENTION_POSITIONS_H

#include "../Integers.h"

namespace shardsmith::cuda {

/// The rows of one tensor along the sequence. Positions ascend with rows: they
/// are one run of neighbours, or in zigzag two runs of half the rows each, of
/// which the second ends as far before the end as the first begins behind the
/// begin:
///
///     row        0 1 2 | 3 4 5           first = 3, of 24 positions
///     position   3 4 5 | 18 19 20
class PositionRun {
public:
  /// `first` is null for a tensor that has the whole sequence; `positions`
  /// counts those of the sequence.
  PositionRun(Integers integers, int64_t rows, mlir::Value first,
              int64_t positions, bool isZigzag)
      : integers(integers), rows(rows), first(first), positions(positions),
        isZigzag(isZigzag) {}

  mlir::Value positionOf(mlir::Value row);
  /// How many rows have positions below that one.
  mlir::Value countBelow(mlir::Value position);
  /// How many rows are in the sequence; those behind are padding.
  mlir::Value inside();
  bool hasPadding() const { return first && !isZigzag; }

private:
  /// By how much positions of the second run exceed rows.
  mlir::Value secondOffset();

  Integers integers;
  int64_t rows;
  mlir::Value first;
  int64_t positions;
  bool isZigzag;
};

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_KERNELS_ATTENTION_POSITIONS_H
