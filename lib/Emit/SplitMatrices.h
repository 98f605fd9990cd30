// SPDX-License-Identifier: Apache-2.0
//
// Matrices that the tensor axis splits, in the terms of runtimes: by rows or by
// columns, whatever their dimensions are.

#ifndef SHARDSMITH_LIB_EMIT_SPLITMATRICES_H
#define SHARDSMITH_LIB_EMIT_SPLITMATRICES_H

#include "shardsmith/Emit/Emit.h"

namespace shardsmith::emit {

/// A trained matrix that the tensor axis splits.
struct SplitMatrix {
  /// Patterns, as in `NamedLayout`.
  std::vector<std::string> names;
  /// Along what its product sums over; else along what that gives.
  bool byRows = false;
  bool isInLayer = false;
  /// Parts that one matrix holds, each of which is split: 3 where queries,
  /// keys and values are one.
  int64_t parts = 1;
};
std::vector<SplitMatrix> splitMatrices(const EmitInput &input);

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_SPLITMATRICES_H
