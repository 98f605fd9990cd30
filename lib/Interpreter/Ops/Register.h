// SPDX-License-Identifier: Apache-2.0
//
// One function per family of ops; `EvaluatorRegistry::standard` calls them.

#ifndef SHARDSMITH_LIB_INTERPRETER_OPS_REGISTER_H
#define SHARDSMITH_LIB_INTERPRETER_OPS_REGISTER_H

namespace shardsmith::inline interpreter {

class EvaluatorRegistry;

void registerAttention(EvaluatorRegistry &registry);
void registerChlo(EvaluatorRegistry &registry);
void registerCollectives(EvaluatorRegistry &registry);
void registerContractions(EvaluatorRegistry &registry);
void registerControlFlow(EvaluatorRegistry &registry);
void registerCustomCalls(EvaluatorRegistry &registry);
void registerElementwise(EvaluatorRegistry &registry);
void registerGroupedProducts(EvaluatorRegistry &registry);
void registerIndexing(EvaluatorRegistry &registry);
void registerLinearAlgebra(EvaluatorRegistry &registry);
void registerNormalization(EvaluatorRegistry &registry);
void registerRandom(EvaluatorRegistry &registry);
void registerReductions(EvaluatorRegistry &registry);
void registerRows(EvaluatorRegistry &registry);
void registerShapes(EvaluatorRegistry &registry);
void registerShardy(EvaluatorRegistry &registry);
void registerSmith(EvaluatorRegistry &registry);
void registerSorting(EvaluatorRegistry &registry);
void registerWindows(EvaluatorRegistry &registry);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_OPS_REGISTER_H
