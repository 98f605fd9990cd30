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
//
// Ops of a loop (docs/loops.md) are there once, next to one another, and their
// cotangents are those of one iteration. What such an op contributes to a value
// from outside the loop waits until all ops of the loop have been visited, and
// is then summed over the iterations.

#include "shardsmith/Train/Differentiate.h"

#include "Activity.h"
#include "BackwardLoops.h"
#include "CustomDerivative.h"
#include "ShiftInvariance.h"
#include "Softmax.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Interfaces/DifferentiableInterface.h"
#include "shardsmith/Support/ErrorList.h"

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
        activity(block, loss, parameters, findConstants(block, loss)),
        nest(block), backward(block, nest) {}

  /// All ops without a derivative are reported.
  LogicalResult run(Value loss) {
    {
      ScopedDiagnosticHandler keepErrors(
          loss.getContext(), [&](Diagnostic &diagnostic) {
            if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
              return failure();
            errors.add(diagnostic.getLocation(), diagnostic.str());
            return success();
          });
      walk(loss);
    }
    errors.emit();
    return success(errors.empty());
  }

  Value cotangentOf(Value value) const { return cotangents.lookup(value); }

private:
  void walk(Value loss) {
    ImplicitLocOpBuilder builder(loss.getLoc(), block.getTerminator());
    SmallVector<Operation *> forward;
    for (Operation &op : block.without_terminator())
      forward.push_back(&op);

    cotangents[loss] =
        filled(builder, cast<RankedTensorType>(loss.getType()), 1.0);
    for (Operation *op : llvm::reverse(forward)) {
      builder.setLoc(op->getLoc());
      enter(nest.loopsOf(op), builder);
      if (!hasResultCotangent(op))
        continue;
      Operation *last = block.getTerminator()->getPrevNode();
      if (succeeded(visit(op, builder)))
        markStage(op, last);
      else if (smith::getMarkedLoop(op))
        return; // There is no backward loop for the ops before.
      else
        passZerosOn(op, builder);
    }
    enter({}, builder);
    if (!forward.empty())
      backward.keepForwardValues(forward.back());
  }

  /// In place of what an op without a derivative contributes, so that the ops
  /// before it are visited.
  void passZerosOn(Operation *op, ImplicitLocOpBuilder &builder) {
    SmallVector<Value> zeros;
    for (Value operand : op->getOperands())
      zeros.push_back(
          activity.isActive(operand)
              ? filled(builder, cast<RankedTensorType>(operand.getType()), 0.0)
                    .value()
              : Value());
    accumulateAll(op->getOperands(), zeros, builder);
  }

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

  /// Goes on with the ops of `next`, and sums up what those of loops that it
  /// leaves have contributed.
  void enter(const smith::LoopChain &next, ImplicitLocOpBuilder &builder) {
    if (chain == next)
      return;
    size_t same = 0;
    while (same < std::min(chain.size(), next.size()) &&
           chain[same] == next[same])
      ++same;
    while (chain.size() > same) {
      int64_t loop = chain.pop_back_val();
      auto terms = std::exchange(waiting[loop], {});
      for (auto [value, term] : terms)
        accumulate(value, backward.sum(builder, loop, term), chain, builder);
    }
    chain = next;
  }

  bool hasResultCotangent(Operation *op) const {
    if (auto next = dyn_cast<smith::LoopNextOp>(op);
        next && !nest.hasUnknownCount(next.getLoop()))
      return activity.isActive(next.getCarry());
    if (isa<smith::LoopCarryOp>(op))
      return backwardOf.contains(op);
    return llvm::any_of(op->getResults(), [&](Value result) {
      return activity.isActive(result) && cotangents.contains(result);
    });
  }

  LogicalResult visit(Operation *op, ImplicitLocOpBuilder &builder) {
    if (std::optional<Softmax> softmax = Softmax::match(op)) {
      TensorValue cotangent(builder, cotangents.lookup(softmax->output));
      if (activity.isActive(softmax->input))
        accumulate(softmax->input, softmax->inputCotangent(cotangent), chain,
                   builder);
      return success();
    }
    SmallVector<Value> resultCotangents =
        llvm::map_to_vector(op->getResults(), [&](Value result) {
          return cotangents.lookup(result);
        });
    if (std::optional<int64_t> loop = smith::getMarkedLoop(op)) {
      if (nest.hasUnknownCount(*loop))
        return reportUnknownCount(op);
      visitMarker(op, resultCotangents.front(), builder);
      return success();
    }
    if (auto custom = dyn_cast<smith::WithDerivativeOp>(op)) {
      Operation *before = block.getTerminator()->getPrevNode();
      SmallVector<Value> contributions =
          buildCustomDerivative(custom, resultCotangents, builder);
      backward.renumber(before->getNextNode(), block.getTerminator());
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

  void visitMarker(Operation *op, Value cotangent,
                   ImplicitLocOpBuilder &builder) {
    smith::LoopChain outer = chain;
    outer.pop_back();
    auto zero = [&](Value value) -> Value {
      return filled(builder, cast<RankedTensorType>(value.getType()), 0.0);
    };
    if (auto next = dyn_cast<smith::LoopNextOp>(op)) {
      Value start = cotangent ? cotangent : zero(next.getNext());
      auto carried = backward.carry(builder, next.getLoop(), start);
      backwardOf[next.getCarry().getDefiningOp()] = carried;
      if (activity.isActive(next.getNext()))
        accumulate(next.getNext(), carried, chain, builder);
    } else if (auto carry = dyn_cast<smith::LoopCarryOp>(op)) {
      Value own = cotangent ? cotangent : zero(carry);
      Value total = backward.finish(builder, backwardOf.lookup(op), own);
      if (activity.isActive(carry.getStart()))
        accumulate(carry.getStart(), total, outer, builder);
    } else if (auto entered = dyn_cast<smith::LoopEnterOp>(op)) {
      if (activity.isActive(entered.getInput()))
        accumulate(entered.getInput(), cotangent, chain, builder);
    } else if (auto slice = dyn_cast<smith::LoopSliceOp>(op)) {
      if (activity.isActive(slice.getInput()))
        accumulate(slice.getInput(), backward.stack(builder, slice, cotangent),
                   outer, builder);
    } else if (auto stack = dyn_cast<smith::LoopStackOp>(op)) {
      if (activity.isActive(stack.getInput()))
        accumulate(stack.getInput(), backward.slice(builder, stack, cotangent),
                   chain, builder);
    }
  }

  void accumulateAll(ValueRange operands, ArrayRef<Value> contributions,
                     ImplicitLocOpBuilder &builder) {
    for (auto [operand, contribution] :
         llvm::zip_equal(operands, contributions))
      if (contribution && activity.isActive(operand))
        accumulate(operand, contribution, chain, builder);
  }

  /// `contribution` is that of an iteration of the loops `from`.
  void accumulate(Value value, Value contribution, const smith::LoopChain &from,
                  ImplicitLocOpBuilder &builder) {
    assert(value.getType() == contribution.getType() &&
           "a cotangent has the type of its value");
    bool isOutside = nest.loopsOf(value).size() < from.size();
    Value &cotangent =
        isOutside ? waiting[from.back()][value] : cotangents[value];
    cotangent = cotangent ? Value(TensorValue(builder, cotangent) +
                                  TensorValue(builder, contribution))
                          : contribution;
  }

  LogicalResult reportUnknownCount(Operation *op) {
    Value parameter = activity.originOf(op->getResult(0));
    return op->emitError("unsupported loop between parameter ")
           << describeParameter(parameter)
           << " and the loss: its count depends on data, so it has no "
              "derivative; stop the gradient, or give one (jax.custom_vjp)";
  }

  LogicalResult reportMissing(Operation *op) {
    Value active = *llvm::find_if(op->getResults(), [&](Value result) {
      return activity.isActive(result);
    });
    Value parameter = activity.originOf(active);
    std::string name = op->getName().getStringRef().str();
    std::string text = "unsupported op '" + name + "' between parameter " +
                       describeParameter(parameter) +
                       " and the loss: it has no derivative";
    if (op->getNumRegions() != 0)
      text += "; loops and branches have one only where the import can unroll "
              "or decide them";
    errors.add(op->getLoc(), text, /*key=*/name);
    return failure();
  }

  Block &block;
  Activity activity;
  smith::LoopNest nest;
  BackwardLoops backward;
  ErrorList errors;
  DenseMap<Value, Value> cotangents;
  /// The loops of the op that is visited.
  smith::LoopChain chain;
  /// Per loop what its ops contribute, in one iteration, to values outside.
  DenseMap<int64_t, llvm::MapVector<Value, Value>> waiting;
  /// Of what goes around forward loops: what goes around the backward loops.
  DenseMap<Operation *, smith::LoopCarryOp> backwardOf;
};

} // namespace

LogicalResult differentiate(Value loss, ValueRange parameters,
                            SmallVectorImpl<Value> &gradients) {
  if (failed(smith::groupLoops(*loss.getParentBlock())))
    return failure();
  ReverseMode reverse(loss, parameters);
  if (failed(reverse.run(loss)))
    return failure();
  for (Value parameter : parameters)
    gradients.push_back(reverse.cotangentOf(parameter));
  return success();
}

} // namespace shardsmith
