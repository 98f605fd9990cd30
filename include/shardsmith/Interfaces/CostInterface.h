// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_INTERFACES_COSTINTERFACE_H
#define SHARDSMITH_INTERFACES_COSTINTERFACE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "shardsmith/Support/Quantity.h"

#include <algorithm>
#include <optional>

namespace shardsmith {

/// `batch` products of rows × depth by depth × columns.
struct MatrixProduct {
  int64_t batch = 1;
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t depth = 1;
  /// Of a ragged product: the matrices over which the rows are dealt out.
  std::optional<int64_t> groups = {};
  /// The dimension of operand 1 that counts these matrices, if they come from
  /// there. Operand 2 then says how many rows each has.
  std::optional<unsigned> groupDimension = {};

  bool operator==(const MatrixProduct &) const = default;
};

/// Work that ranks do for all others in turn: what they hold travels around,
/// and each does the op's work once with every part.
struct RingWork {
  /// The factor of the op's rule over whose ranks parts travel.
  unsigned factor = 0;
  /// What a rank passes on between two turns.
  Bytes message;
  /// The work of a rank with its own part is half of that with another one.
  bool isTriangular = false;

  /// How often the op's work is done, at most, by one of `ranks` ranks.
  int64_t turns(int64_t ranks) const {
    return isTriangular ? std::max<int64_t>(2 * ranks - 1, 1) : ranks;
  }
  bool operator==(const RingWork &) const = default;
};

/// What an op does to a device, before any device is known.
struct OpWork {
  /// Which unit of the device the operations run on.
  enum class Kind {
    /// Moves or computes element by element; fused with its neighbours, so
    /// only bytes at the borders of a fused group cost time.
    Elementwise,
    /// Matrix product or convolution.
    Matmul,
    /// Reads and writes memory on its own (gather, scatter, sort).
    Standalone,
    /// Costs nothing at run time (constant, reshape).
    Free,
  };
  Kind kind = Kind::Elementwise;
  Flops flops;
  Bytes read;
  Bytes written;
  /// What the matrix units do; ops without one are bound by memory.
  std::optional<MatrixProduct> product = {};
  std::optional<RingWork> ring = {};
};

} // namespace shardsmith

#include "shardsmith/Interfaces/CostInterface.h.inc"

#endif // SHARDSMITH_INTERFACES_COSTINTERFACE_H
