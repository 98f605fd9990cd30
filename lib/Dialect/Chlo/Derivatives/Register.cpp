// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Chlo/Derivatives.h"

#include "Families.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"

using namespace mlir;

namespace shardsmith {

void registerChloDerivatives(DialectRegistry &registry) {
  // Derivatives are made of stablehlo ops.
  registry.insert<stablehlo::StableHLODialect>();
  registry.addExtension(+[](MLIRContext *context, chlo::ChloDialect *) {
    context->getOrLoadDialect<stablehlo::StableHLODialect>();
    attachChloElementwiseDerivatives(context);
    attachChloStructuredDerivatives(context);
  });
}

} // namespace shardsmith
