// SPDX-License-Identifier: Apache-2.0
//
// The ops that kernels are made of, whatever the processor: an element of the
// result follows from elements of the operands, so no tensor in between needs
// to exist.

#ifndef SHARDSMITH_LOWER_COMMON_ELEMENTOPS_H
#define SHARDSMITH_LOWER_COMMON_ELEMENTOPS_H

#include "mlir/IR/Operation.h"

namespace shardsmith::lower {

enum class ElementKind {
  Pointwise, ///< from the operands' elements at the same position
  Indexing   ///< an element of an operand at another position
};

/// Cost of one element, relative to reading it from memory.
enum class ElementCost {
  Free,     ///< moves no data: broadcast, reshape, slice
  Cheap,    ///< one or a few instructions
  Expensive ///< worth storing rather than computing twice
};

struct ElementOp {
  ElementKind kind;
  /// On a processor without instructions for transcendental functions.
  ElementCost cost;
};

/// What is known of an op; null if it can be no part of a kernel.
const ElementOp *findElementOp(mlir::Operation *op);

/// The names of all ops that `findElementOp` knows, sorted.
llvm::SmallVector<llvm::StringRef> elementOpNames();

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_ELEMENTOPS_H
