// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_CAUSALMASK_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_CAUSALMASK_H

#include "ModelGraph.h"

namespace shardsmith::workload {

/// True if `op` is a mask (a select, or a sum with a constant) that hides the
/// keys behind each query and not the query itself. Leaves are those of the
/// op's result. The mask is evaluated in a few places, so that its spelling
/// does not matter.
bool hidesFuture(const ModelGraph &graph, mlir::Operation *op,
                 unsigned queryLeaf, unsigned keyLeaf);

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_CAUSALMASK_H
