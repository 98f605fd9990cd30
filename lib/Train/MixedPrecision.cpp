// SPDX-License-Identifier: Apache-2.0

#include "MixedPrecision.h"

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

bool isContraction(Operation &op) {
  return isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op);
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
    auto isWide = [&](Type type) {
      return cast<RankedTensorType>(type).getElementType() == wide;
    };
    if (!isContraction(op) || !llvm::all_of(op.getOperandTypes(), isWide) ||
        !isWide(op.getResult(0).getType()))
      continue;
    ImplicitLocOpBuilder builder(op.getLoc(), &op);
    for (OpOperand &operand : op.getOpOperands())
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
