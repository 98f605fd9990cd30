// SPDX-License-Identifier: Apache-2.0

#include "KernelEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardsmith::cpu {

/// Lanes [first, first + count) of each vector.
static SmallVector<Value> slice(ImplicitLocOpBuilder &builder,
                                ValueRange vectors, int64_t first,
                                int64_t count) {
  SmallVector<Value> slices;
  for (Value vector : vectors) {
    if (count == 1) {
      slices.push_back(vector::ExtractOp::create(builder, vector, first));
      continue;
    }
    slices.push_back(vector::ExtractStridedSliceOp::create(
        builder, vector, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{count},
        ArrayRef<int64_t>{1}));
  }
  return slices;
}

// Halves the number of lanes until one is left. Lanes beyond the largest
// power of two are combined on their own first:
//
//     13 lanes = 8 + 5 = 8 + (4 + 1)
SmallVector<Value> combineLanes(ImplicitLocOpBuilder &builder,
                                Operation *reduce, int64_t lanes,
                                ValueRange accumulators) {
  SmallVector<Value> current(accumulators);
  if (lanes == 1)
    return current;
  int64_t even = llvm::bit_floor(static_cast<uint64_t>(lanes));
  if (even != lanes) {
    SmallVector<Value> first =
        combineLanes(builder, reduce, even, slice(builder, current, 0, even));
    SmallVector<Value> rest =
        combineLanes(builder, reduce, lanes - even,
                     slice(builder, current, even, lanes - even));
    return combine(builder, reduce, 1, first, rest);
  }
  while (lanes > 1) {
    lanes /= 2;
    current = combine(builder, reduce, lanes, slice(builder, current, 0, lanes),
                      slice(builder, current, lanes, lanes));
  }
  return current;
}

} // namespace shardsmith::cpu
