// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/StableHLO/FactorRules.h"

#include "Families.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::stablehlo {

void registerStableHLOFactorRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, StableHLODialect *dialect) {
    attachBatchwiseFactorRules(context);
    attachContractionFactorRules(context);
    attachElementwiseFactorRules(context);
    attachIndexingFactorRules(context);
    attachShapeFactorRules(context);
  });
}

} // namespace shardsmith::stablehlo
