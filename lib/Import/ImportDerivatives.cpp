// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Import/Passes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_IMPORTDERIVATIVES
#include "shardsmith/Import/Passes.h.inc"

namespace {

using Direction = stablehlo::ComparisonDirection;

//===----------------------------------------------------------------------===//
// Marked by the exporter
//===----------------------------------------------------------------------===//

LogicalResult convertStop(stablehlo::CustomCallOp call) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (call.getNumOperands() != 1 ||
      call->getOperandTypes() != call->getResultTypes() ||
      !llvm::all_of(call.getOperandTypes(), isTensor))
    return call.emitError() << "stops a gradient, so it must return its one "
                               "operand, a tensor";
  OpBuilder builder(call);
  call->replaceAllUsesWith(smith::StopGradientOp::create(builder, call.getLoc(),
                                                         call.getOperand(0)));
  call.erase();
  return success();
}

/// Operands are the values, as many as there are results, and then the inputs.
LogicalResult convertDerivative(stablehlo::CustomCallOp call) {
  auto functions = call.getCalledComputations();
  size_t values = call.getNumResults();
  if (!functions || functions->size() != 1 || values == 0 ||
      call.getNumOperands() < values ||
      TypeRange(call.getOperands().take_front(values)) !=
          call->getResultTypes())
    return call.emitError()
           << "names a derivative, so it must return its first operands and "
              "have one function in called_computations";
  OpBuilder builder(call);
  call->replaceAllUsesWith(smith::WithDerivativeOp::create(
      builder, call.getLoc(), call.getResultTypes(),
      cast<FlatSymbolRefAttr>((*functions)[0]),
      call.getOperands().drop_front(values),
      call.getOperands().take_front(values)));
  call.erase();
  return success();
}

LogicalResult convert(stablehlo::CustomCallOp call) {
  if (call.getCallTargetName() == "smith.stop_gradient")
    return convertStop(call);
  if (call.getCallTargetName() == "smith.with_derivative")
    return convertDerivative(call);
  return success();
}

//===----------------------------------------------------------------------===//
// Recognised by name
//===----------------------------------------------------------------------===//

/// The number that `value` has everywhere.
std::optional<double> splatOf(Value value) {
  while (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>())
    value = broadcast.getOperand();
  DenseFPElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<llvm::APFloat>().convertToDouble();
}

/// `x` of `OpTy(x, number)`, or null.
template <typename OpTy> Value boundedBy(Value value, double number) {
  auto op = value ? value.getDefiningOp<OpTy>() : OpTy();
  return op && splatOf(op.getRhs()) == number ? op.getLhs() : Value();
}

/// JAX numbers functions of one name: `relu`, `relu_0`, `relu_1`.
bool isCalled(func::FuncOp function, StringRef name) {
  StringRef rest = function.getName();
  return rest.consume_front(name) &&
         (rest.empty() ||
          (rest.consume_front("_") && !rest.empty() &&
           llvm::all_of(rest, [](char c) { return llvm::isDigit(c); })));
}

/// Gives `jax.nn.relu` and `jax.nn.relu6` a form of the same values that has
/// the derivative JAX defines for them: zero at the bends.
void restoreActivation(func::FuncOp function) {
  if (!function.isPrivate() || function.isExternal() ||
      !function.getBody().hasOneBlock() || function.getNumArguments() != 1 ||
      function.getNumResults() != 1)
    return;
  Operation *terminator = function.getBody().front().getTerminator();
  Value argument = function.getArgument(0);
  Value result = terminator->getOperand(0);
  bool isCapped = isCalled(function, "relu6");
  if (!isCapped && !isCalled(function, "relu"))
    return;
  Value raised = isCapped ? boundedBy<stablehlo::MinOp>(result, 6) : result;
  if (boundedBy<stablehlo::MaxOp>(raised, 0) != argument)
    return;

  ImplicitLocOpBuilder builder(result.getLoc(), terminator);
  TensorValue x(builder, argument);
  TensorValue upper = x;
  if (isCapped) {
    TensorValue isAbove = compare(x, Direction::GE, 6.0);
    upper = select(isAbove, x.filled(6.0), x);
  }
  TensorValue isBelow = compare(x, Direction::LE, 0.0);
  terminator->setOperand(0, select(isBelow, x.filled(0.0), upper));
}

struct ImportDerivatives : impl::ImportDerivativesBase<ImportDerivatives> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    WalkResult walked = module.walk([](stablehlo::CustomCallOp call) {
      return failed(convert(call)) ? WalkResult::interrupt()
                                   : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    // The hash of the model is that of what it computes.
    if (!module->removeAttr(smith::kDerivativesMarkedAttributeName))
      for (auto function : module.getOps<func::FuncOp>())
        restoreActivation(function);
  }
};

} // namespace
} // namespace shardsmith
