// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interpreter/EvaluatorRegistry.h"

#include "Ops/Register.h"

namespace shardsmith::inline interpreter {

const EvaluatorRegistry &EvaluatorRegistry::standard() {
  static const EvaluatorRegistry registry = [] {
    EvaluatorRegistry all;
    registerAttention(all);
    registerChlo(all);
    registerCollectives(all);
    registerContractions(all);
    registerControlFlow(all);
    registerCustomCalls(all);
    registerElementwise(all);
    registerGroupedProducts(all);
    registerIndexing(all);
    registerLinearAlgebra(all);
    registerNormalization(all);
    registerRandom(all);
    registerReductions(all);
    registerRows(all);
    registerShapes(all);
    registerShardy(all);
    registerSmith(all);
    registerSorting(all);
    registerWindows(all);
    return all;
  }();
  return registry;
}

} // namespace shardsmith::inline interpreter
