// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_VALUENAMES_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_VALUENAMES_H

#include "ModelGraph.h"

namespace shardsmith::workload {

/// The name in the model file of a parameter of `@main`, or of what `call`
/// passes for an argument: `layers.3.w`, `layers.w[3]` for an element of a
/// stack. `iteration` is that of the loop over layers that takes it.
std::string nameOfParameter(const ModelGraph &graph, mlir::Value value,
                            mlir::Operation *call, int64_t iteration = 0);

/// The first batch argument that the value depends on.
std::string nameOfData(const ModelGraph &graph, mlir::Value value);

/// One name for two that differ in a number: `layers.*.w`.
std::string withStar(const std::string &a, const std::string &b);

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_VALUENAMES_H
