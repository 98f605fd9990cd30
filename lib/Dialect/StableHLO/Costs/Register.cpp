// SPDX-License-Identifier: Apache-2.0

#include "Costs.h"
#include "shardsmith/Dialect/StableHLO/Costs.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::stablehlo {

void registerStableHLOCosts(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, StableHLODialect *) {
    attachElementwiseCosts(context);
    attachHeavyCosts(context);
    attachMovementCosts(context);
  });
}

} // namespace shardsmith::stablehlo
