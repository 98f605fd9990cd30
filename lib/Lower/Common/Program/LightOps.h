// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_COMMON_PROGRAM_LIGHTOPS_H
#define SHARDSMITH_LIB_LOWER_COMMON_PROGRAM_LIGHTOPS_H

#include "mlir/IR/Operation.h"

namespace shardsmith::lower {

/// All-reduces, gathers and reduce-scatters.
bool isCollective(mlir::Operation *op);

/// Ops that take little time beside a product, or none; collectives among them,
/// which go on while products run.
bool isLight(mlir::Operation *op);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_PROGRAM_LIGHTOPS_H
