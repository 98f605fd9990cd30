// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_INTERFACES_COSTINTERFACE_H
#define SHARDSMITH_INTERFACES_COSTINTERFACE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "shardsmith/Support/Quantity.h"

namespace shardsmith {

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
};

} // namespace shardsmith

#include "shardsmith/Interfaces/CostInterface.h.inc"

#endif // SHARDSMITH_INTERFACES_COSTINTERFACE_H
