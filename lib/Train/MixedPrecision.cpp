// SPDX-License-Identifier: Apache-2.0

#include "MixedPrecision.h"

#include "shardsmith/Dialect/Smith/AttentionOps.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"

using namespace mlir;

namespace shardsmith {
namespace {

RankedTensorType withElementType(Type type, Type elementType) {
  return cast<RankedTensorType>(type).clone(elementType);
}

bool isNarrowFloat(Type type) {
  auto elementType =
      dyn_cast<FloatType>(cast<RankedTensorType>(type).getElementType());
  return elementType && elementType.getWidth() < 32;
}

/// What contractions multiply; nothing for other ops.
MutableArrayRef<OpOperand> factorsOf(Operation &op) {
  if (isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op))
    return op.getOpOperands();
  // Queries, keys and values. A bias is added.
  if (isa<smith::AttentionOp>(op))
    return op.getOpOperands().take_front(3);
  return {};
}

} // namespace

void keepParametersInFloat32(ForwardGraph &graph) {
  ImplicitLocOpBuilder builder(graph.function.getLoc(),
                               graph.function.getContext());
  builder.setInsertionPointToStart(&graph.body());
  Type wide = builder.getF32Type();
  for (BlockArgument parameter : graph.parameters) {
    Type narrowType = parameter.getType();
    if (!isNarrowFloat(narrowType))
      continue;
    builder.setLoc(parameter.getLoc());
    parameter.setType(withElementType(narrowType, wide));
    auto rounded = stablehlo::ConvertOp::create(builder, narrowType, parameter);
    parameter.replaceAllUsesExcept(rounded, rounded);
  }
  graph.function.setFunctionType(builder.getFunctionType(
      graph.body().getArgumentTypes(), graph.function.getResultTypes()));
}

namespace {

void contractInBFloat16(Block &block) {
  MLIRContext *context = block.getParentOp()->getContext();
  Type wide = Float32Type::get(context);
  Type narrow = BFloat16Type::get(context);
  for (Operation &op : block.without_terminator()) {
    auto isWide = [&](Value value) {
      return getElementTypeOrSelf(value.getType()) == wide;
    };
    MutableArrayRef<OpOperand> factors = factorsOf(op);
    if (factors.empty() || !isWide(op.getResult(0)) ||
        !llvm::all_of(
            factors, [&](OpOperand &operand) { return isWide(operand.get()); }))
      continue;
    ImplicitLocOpBuilder builder(op.getLoc(), &op);
    for (OpOperand &operand : factors)
      operand.set(convert({builder, operand.get()}, narrow));
    Value result = op.getResult(0);
    result.setType(withElementType(result.getType(), narrow));
    builder.setInsertionPointAfter(&op);
    Value widened = convert({builder, result}, wide);
    result.replaceAllUsesExcept(widened, widened.getDefiningOp());
  }
}

} // namespace

void contractInBFloat16(ForwardGraph &graph) {
  auto module = graph.function->getParentOfType<ModuleOp>();
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      contractInBFloat16(function.getBody().front());
}

} // namespace shardsmith
