// SPDX-License-Identifier: Apache-2.0
//
// `smith.plan`, the plan that a loss graph carries from the search to the
// annotation. Passes.td shows one.

#ifndef SHARDSMITH_LIB_STRATEGYPASSES_PLANATTRIBUTE_H
#define SHARDSMITH_LIB_STRATEGYPASSES_PLANATTRIBUTE_H

#include "shardsmith/Plan/Search/Search.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardsmith {

inline constexpr llvm::StringLiteral kPlanAttributeName = "smith.plan";

/// The best plan of a search that has found one.
mlir::DictionaryAttr planAttribute(mlir::MLIRContext *context,
                                   const CostContext &inputs,
                                   const SearchResult &result);

/// The strategy that the module carries, if it is one for this workload; else
/// nothing, and a sentence in `error`.
std::optional<Strategy> plannedStrategy(mlir::ModuleOp module,
                                        const workload::Workload &workload,
                                        std::string &error);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_STRATEGYPASSES_PLANATTRIBUTE_H
