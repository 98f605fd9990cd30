// SPDX-License-Identifier: Apache-2.0
//
// Ops that compute each element on its own. Operations per element are those
// of common vectorised implementations: a polynomial of degree n costs 2n.

#include "Costs.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

namespace shardsmith::stablehlo {

void attachElementwiseCosts(mlir::MLIRContext *context) {
  attachPointwiseWork<
      1, AbsOp, AddOp, AndOp, BitcastConvertOp, CeilOp, ClampOp, CompareOp,
      ComplexOp, ConvertOp, CountLeadingZerosOp, FloorOp, ImagOp, IsFiniteOp,
      MaxOp, MinOp, MulOp, NegOp, NotOp, OrOp, PopulationCountOp, RealOp,
      ReducePrecisionOp, RoundNearestEvenOp, RoundOp, SelectOp, ShiftLeftOp,
      ShiftRightArithmeticOp, ShiftRightLogicalOp, SignOp, SubtractOp, XorOp>(
      context);
  attachPointwiseWork<4, DivOp, RsqrtOp, SqrtOp>(context);
  attachPointwiseWork<8, BatchNormInferenceOp, RemOp>(context);
  attachPointwiseWork<16, CosineOp, ExpOp, Expm1Op, Log1pOp, LogOp, SineOp>(
      context);
  attachPointwiseWork<24, CbrtOp, LogisticOp, TanOp, TanhOp>(context);
  attachPointwiseWork<40, Atan2Op, MapOp, PowOp>(context);
}

} // namespace shardsmith::stablehlo
