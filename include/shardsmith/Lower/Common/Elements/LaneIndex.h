// SPDX-License-Identifier: Apache-2.0
//
// Positions of the lanes of a vector in a tensor.

#ifndef SHARDSMITH_LOWER_COMMON_ELEMENTS_LANEINDEX_H
#define SHARDSMITH_LOWER_COMMON_ELEMENTS_LANEINDEX_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SmallVector.h"

namespace shardsmith::lower {

/// Where the lanes of a vector are along one dimension. Either affine,
///
///     lane l is at  base + offset + l · stride,
///
/// which keeps loads contiguous, or general: a vector of positions. An index
/// with stride 0 is *uniform*: every lane is at the same place.
struct LaneIndex {
  /// i64, nonnegative together with `offset`; null stands for zero.
  mlir::Value base;
  int64_t offset = 0;
  int64_t stride = 0;
  /// `base` is known to be a multiple of this; 0 if base is null.
  int64_t multiple = 0;
  /// vector<lanes x i64> of a general index; the fields above are unused.
  mlir::Value positions;

  static LaneIndex constant(int64_t value) { return {{}, value, 0, 0, {}}; }
  static LaneIndex at(mlir::Value base, int64_t multiple = 1) {
    return {base, 0, 0, multiple, {}};
  }
  static LaneIndex consecutive(mlir::Value base, int64_t multiple) {
    return {base, 0, 1, multiple, {}};
  }
  static LaneIndex general(mlir::Value positions) {
    return {{}, 0, 0, 0, positions};
  }

  bool isUniform() const { return !positions && stride == 0; }
  bool isConstant() const { return isUniform() && !base; }
  bool operator==(const LaneIndex &other) const {
    return base == other.base && offset == other.offset &&
           stride == other.stride && positions == other.positions;
  }
};

/// One LaneIndex per dimension of a tensor.
using LaneIndices = llvm::SmallVector<LaneIndex, 4>;

/// A condition on lanes: an i1, a vector of i1, or null for "always".
struct LaneCondition {
  mlir::Value uniform;
  mlir::Value lanes;
};

/// Arithmetic on lane indices. Stays affine as long as that can be proved.
class LaneArithmetic {
public:
  LaneArithmetic(mlir::ImplicitLocOpBuilder &builder, int64_t lanes)
      : builder(builder), lanes(lanes) {}

  int64_t laneCount() const { return lanes; }

  /// The largest number known to divide the position of the first lane, which
  /// is base + offset; 0 if that is zero.
  int64_t alignment(const LaneIndex &a) const;

  LaneIndex plus(LaneIndex a, int64_t constant);
  LaneIndex plus(LaneIndex a, const LaneIndex &b);
  LaneIndex times(LaneIndex a, int64_t factor);

  struct Division {
    LaneIndex quotient, remainder;
  };
  /// For nonnegative indices and divisors.
  Division divide(const LaneIndex &a, int64_t divisor);

  /// The row-major position in a tensor of this shape, and back.
  LaneIndex linearize(llvm::ArrayRef<LaneIndex> index,
                      llvm::ArrayRef<int64_t> shape);
  LaneIndices delinearize(LaneIndex linear, llvm::ArrayRef<int64_t> shape);

  /// Reads index of shape `to` as one of shape `from`; both have the same
  /// number of elements. Dimensions that a reshape keeps keep their index.
  LaneIndices reshape(llvm::ArrayRef<LaneIndex> index,
                      llvm::ArrayRef<int64_t> to, llvm::ArrayRef<int64_t> from);

  /// `low <= a < high` is added to `condition`. Returns `a` with every lane
  /// outside moved inside, so that it may be used to load.
  LaneIndex restrict(LaneIndex a, int64_t low, int64_t high,
                     LaneCondition &condition);

  /// The index moved into [0, high].
  LaneIndex clamp(const LaneIndex &a, int64_t high);

  /// The position of a uniform index, as i64.
  mlir::Value scalar(const LaneIndex &a);
  /// The positions of all lanes in a vector of this integer type.
  mlir::Value vector(const LaneIndex &a, mlir::Type integer);

private:
  mlir::Value constant(int64_t value);
  LaneIndex generalize(const LaneIndex &a);
  void require(LaneCondition &condition, mlir::Value test, bool uniform);

  mlir::ImplicitLocOpBuilder &builder;
  int64_t lanes;
};

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_ELEMENTS_LANEINDEX_H
