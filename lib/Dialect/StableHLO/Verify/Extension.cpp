// SPDX-License-Identifier: Apache-2.0
// Tuples, barriers and calls.

#include "Rules.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

LogicalResult OptimizationBarrierOp::verify() {
  if (areCompatibleTypes(getOperandTypes(), getResultTypes()))
    return success();
  return emitOpError() << "needs results of the operands' types ("
                       << getOperandTypes() << "), found (" << getResultTypes()
                       << ')';
}

LogicalResult TupleOp::inferReturnTypes(MLIRContext *context, OptionalLocation,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  types.push_back(TupleType::get(context, adaptor.getVal().getTypes()));
  return success();
}

LogicalResult GetTupleElementOp::inferReturnTypes(
    MLIRContext *, OptionalLocation location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  auto tuple = cast<TupleType>(adaptor.getOperand().getType());
  if (adaptor.getIndex() >= tuple.size())
    return report("has index ", adaptor.getIndex(), ", outside [0, ",
                  tuple.size(), ")");
  types.push_back(tuple.getType(adaptor.getIndex()));
  return success();
}
