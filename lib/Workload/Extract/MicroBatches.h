// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_MICROBATCHES_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_MICROBATCHES_H

#include "ModelGraph.h"

namespace shardsmith::workload {

/// Why the gradients of micro-batches do not add up to that of the batch: the
/// first op that puts a sum over the batch to another use than adding it up to
/// the loss. Empty if there is none.
std::string findMicroBatchObstacle(const ModelGraph &graph);

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_MICROBATCHES_H
