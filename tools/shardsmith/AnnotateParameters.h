// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TOOLS_SHARDSMITH_ANNOTATEPARAMETERS_H
#define SHARDSMITH_TOOLS_SHARDSMITH_ANNOTATEPARAMETERS_H

#include "shardsmith/Strategy/Strategy.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardsmith {

/// Puts the strategy's mesh into a loss graph, and shardings on the arguments
/// of `@main`: parameters as the tensor and expert axes hold them, batch data
/// as the data and context axes split it. Values between them follow by
/// propagation. Axes are major first; an expert axis is cut out of the data
/// and context axes that it is a part of:
///
///     data 8, expert 4, tensor 2      <["data"=2, "expert"=4, "tensor"=2]>
void annotateParameters(mlir::ModuleOp module,
                        const workload::Workload &workload,
                        const Strategy &strategy);

} // namespace shardsmith

#endif // SHARDSMITH_TOOLS_SHARDSMITH_ANNOTATEPARAMETERS_H
