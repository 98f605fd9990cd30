// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_WORKLOAD_ELEMENTTYPES_H
#define SHARDSMITH_WORKLOAD_ELEMENTTYPES_H

#include "mlir/IR/Types.h"
#include "shardsmith/Workload/Workload.h"

namespace shardsmith::workload {

/// What elements of the IR count as; types without a name of their own count
/// as the next larger one.
ElementType elementTypeOf(mlir::Type type);

} // namespace shardsmith::workload

#endif // SHARDSMITH_WORKLOAD_ELEMENTTYPES_H
