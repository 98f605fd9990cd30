// SPDX-License-Identifier: Apache-2.0
// Reverse-mode differentiation of a straight-line block.
//
// Invariant: when the walk, from the last op to the first, reaches an op, the
// cotangents of its results are complete, because all of their users came
// later in the block. The op's derivative turns them into contributions to the
// cotangents of its operands.
//
//     forward     w ─▶ op1 ─▶ op2 ─▶ loss
//     backward   dw ◀─ op1 ◀─ op2 ◀─ 1
//
// A value without an entry has cotangent zero, which is never materialised.

#include "shardsmith/Train/Differentiate.h"

#include "Activity.h"
#include "CustomDerivative.h"
#include "ShiftInvariance.h"
#include "Softmax.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Interfaces/DifferentiableInterface.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace shardsmith {
namespace {

/// `"name"` of the function argument, or its position.
std::string describeParameter(Value parameter) {
  auto argument = cast<BlockArgument>(parameter);
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (function)
    if (auto name = function.getArgAttrOfType<StringAttr>(
            argument.getArgNumber(), "smith.name"))
      return ("\"" + name.getValue() + "\"").str();
  return "argument " + std::to_string(argument.getArgNumber());
}

class ReverseMode {
public:
  ReverseMode(Value loss, ValueRange parameters)
      : block(*loss.getParentBlock()),
        activity(block, loss, parameters, findConstants(block, loss)) {}

  LogicalResult run(Value loss) {
    ImplicitLocOpBuilder builder(loss.getLoc(), block.getTerminator());
    SmallVector<Operation *> forward;
    for (Operation &op : block.without_terminator())
      forward.push_back(&op);

    cotangents[loss] =
        filled(builder, cast<RankedTensorType>(loss.getType()), 1.0);
    for (Operation *op : llvm::reverse(forward)) {
      if (!hasResultCotangent(op))
        continue;
      builder.setLoc(op->getLoc());
      Operation *last = block.getTerminator()->getPrevNode();
      if (failed(visit(op, builder)))
        return failure();
      markStage(op, last);
    }
    return success();
  }

  Value cotangentOf(Value value) const { return cotangents.lookup(value); }

private:
  /// Values without a gradient, because they say so or because it is zero.
  static DenseSet<Value> findConstants(Block &block, Value loss) {
    DenseSet<Value> constants = findValuesWithZeroGradient(block, loss);
    for (Value stopped : findStoppedValues(block))
      constants.insert(stopped);
    return constants;
  }

  /// What has been built since `last` belongs to the backward pass of the
  /// stage that `op` belongs to.
  void markStage(Operation *op, Operation *last) {
    Attribute stage = stageOf(op);
    if (!stage)
      return;
    Operation *end = block.getTerminator();
    for (Operation *built = last->getNextNode(); built != end;
         built = built->getNextNode()) {
      built->setAttr(smith::kStageAttributeName, stage);
      built->setAttr(smith::kBackwardAttributeName,
                     UnitAttr::get(op->getContext()));
    }
  }

  /// Of an op that belongs to none, such as the broadcast of a bias, that of
  /// what reads it.
  static Attribute stageOf(Operation *op) {
    if (Attribute own = op->getAttr(smith::kStageAttributeName))
      return own;
    for (Operation *user : op->getUsers())
      if (!user->hasAttr(smith::kBackwardAttributeName))
        if (Attribute stage = user->getAttr(smith::kStageAttributeName))
          return stage;
    return {};
  }

  bool hasResultCotangent(Operation *op) const {
    return llvm::any_of(op->getResults(), [&](Value result) {
      return activity.isActive(result) && cotangents.contains(result);
    });
  }

  LogicalResult visit(Operation *op, ImplicitLocOpBuilder &builder) {
    if (std::optional<Softmax> softmax = Softmax::match(op)) {
      TensorValue cotangent(builder, cotangents.lookup(softmax->output));
      if (activity.isActive(softmax->input))
        accumulate(softmax->input, softmax->inputCotangent(cotangent), builder);
      return success();
    }
    SmallVector<Value> resultCotangents =
        llvm::map_to_vector(op->getResults(), [&](Value result) {
          return cotangents.lookup(result);
        });
    if (auto custom = dyn_cast<smith::WithDerivativeOp>(op)) {
      SmallVector<Value> contributions =
          buildCustomDerivative(custom, resultCotangents, builder);
      accumulateAll(custom.getInputs(), contributions, builder);
      return success();
    }
    auto differentiable = dyn_cast<DifferentiableInterface>(op);
    if (!differentiable)
      return reportMissing(op);
    SmallVector<Value> contributions;
    if (failed(differentiable.buildDerivative(builder, resultCotangents,
                                              contributions)))
      return failure();
    accumulateAll(op->getOperands(), contributions, builder);
    return success();
  }

  void accumulateAll(ValueRange operands, ArrayRef<Value> contributions,
                     ImplicitLocOpBuilder &builder) {
    for (auto [operand, contribution] :
         llvm::zip_equal(operands, contributions))
      if (contribution && activity.isActive(operand))
        accumulate(operand, contribution, builder);
  }

  void accumulate(Value value, Value contribution,
                  ImplicitLocOpBuilder &builder) {
    assert(value.getType() == contribution.getType() &&
           "a cotangent has the type of its value");
    Value &cotangent = cotangents[value];
    cotangent = cotangent ? Value(TensorValue(builder, cotangent) +
                                  TensorValue(builder, contribution))
                          : contribution;
  }

  LogicalResult reportMissing(Operation *op) {
    Value active = *llvm::find_if(op->getResults(), [&](Value result) {
      return activity.isActive(result);
    });
    Value parameter = activity.originOf(active);
    InFlightDiagnostic diagnostic = op->emitError("unsupported op '")
                                    << op->getName() << "' between parameter "
                                    << describeParameter(parameter)
                                    << " and the loss: it has no derivative";
    if (op->getNumRegions() != 0)
      diagnostic.attachNote() << "loops and branches are differentiable only "
                                 "where the import can unroll or decide them";
    return diagnostic;
  }

  Block &block;
  Activity activity;
  DenseMap<Value, Value> cotangents;
};

} // namespace

LogicalResult differentiate(Value loss, ValueRange parameters,
                            SmallVectorImpl<Value> &gradients) {
  ReverseMode reverse(loss, parameters);
  if (failed(reverse.run(loss)))
    return failure();
  for (Value parameter : parameters)
    gradients.push_back(reverse.cotangentOf(parameter));
  return success();
}

} // namespace shardsmith
