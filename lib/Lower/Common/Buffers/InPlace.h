// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_COMMON_BUFFERS_INPLACE_H
#define SHARDSMITH_LIB_LOWER_COMMON_BUFFERS_INPLACE_H

#include "mlir/IR/Operation.h"

namespace shardsmith::lower {

/// True if `op` may write result `result` into the buffer of operand
/// `operand` while it still reads that operand: every element is read for the
/// last time before its place is written.
bool mayWriteInPlace(mlir::Operation *op, unsigned operand, unsigned result);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_BUFFERS_INPLACE_H
