// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_VALUELAYOUTS_ANNOTATE_ANNOTATEDTEXT_H
#define SHARDSMITH_VALUELAYOUTS_ANNOTATE_ANNOTATEDTEXT_H

#include "shardsmith/Dialect/Smith/RepeatedCalls.h"
#include "shardsmith/Strategy/Strategy.h"
#include "shardsmith/Workload/GraphMap.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardsmith {

/// The text of an annotated graph in which every call stands for one layer:
/// what printing the whole module would give, whatever `repeated` has saved.
std::string annotatedText(mlir::ModuleOp module,
                          const smith::RepeatedCalls &repeated,
                          const workload::GraphMap &map,
                          const Strategy &strategy);

} // namespace shardsmith

#endif // SHARDSMITH_VALUELAYOUTS_ANNOTATE_ANNOTATEDTEXT_H
