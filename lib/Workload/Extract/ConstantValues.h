// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_CONSTANTVALUES_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_CONSTANTVALUES_H

#include "ModelGraph.h"

namespace shardsmith::workload {

/// One element of a value, computed from constants; nothing where it depends
/// on more. Logic is three-valued: `and` of false and anything is false.
std::optional<double> elementAt(const ModelGraph &graph, mlir::Value value,
                                llvm::ArrayRef<int64_t> position);

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_CONSTANTVALUES_H
