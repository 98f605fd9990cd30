// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/StableHLO/Derivatives.h"

#include "Families.h"

using namespace mlir;

namespace shardsmith {

void registerStableHLODerivatives(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, stablehlo::StableHLODialect *) {
        attachElementwiseUnaryDerivatives(context);
        attachElementwiseBinaryDerivatives(context);
        attachSelectionDerivatives(context);
        attachShapeDerivatives(context);
        attachSliceDerivatives(context);
        attachDotDerivatives(context);
        attachReduceDerivatives(context);
        attachWindowDerivatives(context);
        attachConvolutionDerivatives(context);
        attachGatherDerivatives(context);
        attachScatterDerivatives(context);
        attachLinearAlgebraDerivatives(context);
        attachSortDerivatives(context);
      });
}

} // namespace shardsmith
