// SPDX-License-Identifier: Apache-2.0
//
// A counted loop becomes straight-line code with markers (docs/loops.md). An
// element of dimension 0 that is taken at the iteration's number i, or at
// count − 1 − i, is what `lax.scan` takes of its inputs; one that is written
// there, into a value that is used for nothing else, is one of its outputs.

#include "CountedLoop.h"
#include "LargeLoops.h"
#include "LoopIndices.h"
#include "SizeLimits.h"
#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/LoopNest.h"
#include "shardsmith/Import/Passes.h"
#include "shardsmith/Support/Quantity.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_KEEPCOUNTEDLOOPS
#include "shardsmith/Import/Passes.h.inc"

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

class LoopKeeper {
public:
  LoopKeeper(stablehlo::WhileOp loop, int64_t count)
      : loop(loop), body(loop.getBody().front()), count(count),
        number(smith::getFreeLoopNumber(*loop->getBlock())),
        indices(loop, count), builder(loop.getLoc(), loop) {}

  void run() {
    for (unsigned index = 0; index < loop->getNumOperands(); ++index)
      enter(index);
    for (Operation &op : body.without_terminator())
      copy(op);
    for (unsigned index = 0; index < loop->getNumOperands(); ++index)
      loop->getResult(index).replaceAllUsesWith(leave(index));
    loop->erase();
  }

private:
  enum class Kind { Invariant, Index, Stack, Carry };

  /// Whether the element that iteration i is at is element i of dimension 0,
  /// or with true element count − 1 − i; nothing if it is another one.
  std::optional<bool> elementOf(RankedTensorType whole, RankedTensorType part,
                                ValueRange starts) {
    if (whole.getRank() == 0 || whole.getDimSize(0) != count ||
        part.getDimSize(0) != 1)
      return std::nullopt;
    for (auto [dim, start] : llvm::enumerate(starts.drop_front())) {
      std::optional<Affine> at = indices.of(start);
      if (!at || at->scale != 0 || at->offset != 0 ||
          whole.getDimSize(dim + 1) != part.getDimSize(dim + 1))
        return std::nullopt;
    }
    std::optional<Affine> at = indices.of(starts.front());
    if (at && at->scale == 1 && at->offset == 0)
      return false;
    if (at && at->scale == -1 && at->offset == count - 1)
      return true;
    return std::nullopt;
  }

  /// The op that writes an iteration's element, if loop value `index` is an
  /// output of a scan.
  stablehlo::DynamicUpdateSliceOp stackedBy(unsigned index) {
    Value argument = body.getArgument(index);
    auto update = body.getTerminator()
                      ->getOperand(index)
                      .getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
    if (!update || update->getBlock() != &body ||
        update.getOperand() != argument || !argument.hasOneUse() ||
        !update->hasOneUse() ||
        !elementOf(typeOf(argument), typeOf(update.getUpdate()),
                   update.getStartIndices()))
      return nullptr;
    return update;
  }

  /// Gives loop value `index` its value at the begin of an iteration.
  void enter(unsigned index) {
    Value start = loop->getOperand(index), argument = body.getArgument(index);
    if (indices.isInvariant(argument)) {
      kinds.push_back(Kind::Invariant);
      locals.map(argument, start);
    } else if (indices.of(argument)) {
      kinds.push_back(Kind::Index);
      locals.map(argument, makeIndex(*indices.of(argument), typeOf(argument)));
    } else if (stablehlo::DynamicUpdateSliceOp update = stackedBy(index)) {
      kinds.push_back(Kind::Stack);
      stacks[update] = index;
    } else {
      kinds.push_back(Kind::Carry);
      locals.map(argument,
                 smith::LoopCarryOp::create(builder, start.getType(), start,
                                            number, count, carries++));
    }
  }

  Value makeIndex(Affine affine, RankedTensorType type) {
    auto i32 = RankedTensorType::get({}, builder.getI32Type());
    Value value = smith::LoopIndexOp::create(builder, i32, number, count);
    Type element = type.getElementType();
    auto scalar = RankedTensorType::get({}, element);
    if (element != builder.getI32Type())
      value = stablehlo::ConvertOp::create(builder, scalar, value);
    auto constant = [&](int64_t number) -> Value {
      APInt bits(element.getIntOrFloatBitWidth(), uint64_t(number),
                 /*isSigned=*/true, /*implicitTrunc=*/true);
      return stablehlo::ConstantOp::create(
          builder, DenseElementsAttr::get(cast<ShapedType>(scalar), bits));
    };
    if (affine.scale != 1)
      value = stablehlo::MulOp::create(builder, value, constant(affine.scale));
    if (affine.offset != 0)
      value = stablehlo::AddOp::create(builder, value, constant(affine.offset));
    return value;
  }

  void copy(Operation &op) {
    builder.setLoc(op.getLoc());
    if (auto update = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op);
        update && stacks.contains(update))
      return stack(update);
    if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op);
        slice && indices.isInvariant(slice.getOperand()))
      if (std::optional<bool> isReversed =
              elementOf(typeOf(slice.getOperand()), typeOf(slice),
                        slice.getStartIndices()))
        return take(slice, *isReversed);
    builder.clone(op, locals);
  }

  static RankedTensorType elementTypeOf(RankedTensorType stacked) {
    return RankedTensorType::get(stacked.getShape().drop_front(),
                                 stacked.getElementType());
  }

  void take(stablehlo::DynamicSliceOp slice, bool isReversed) {
    Value input = locals.lookupOrDefault(slice.getOperand());
    Value element =
        smith::LoopSliceOp::create(builder, elementTypeOf(typeOf(input)), input,
                                   number, count, isReversed);
    locals.map(slice.getResult(),
               stablehlo::ReshapeOp::create(builder, typeOf(slice), element));
  }

  void stack(stablehlo::DynamicUpdateSliceOp update) {
    unsigned index = stacks.lookup(update);
    RankedTensorType type = typeOf(update);
    Value element = stablehlo::ReshapeOp::create(
        builder, elementTypeOf(type),
        locals.lookupOrDefault(update.getUpdate()));
    bool isReversed =
        *elementOf(type, typeOf(update.getUpdate()), update.getStartIndices());
    stacked[index] = smith::LoopStackOp::create(builder, type, element, number,
                                                count, isReversed);
  }

  /// Loop value `index` after the last iteration.
  Value leave(unsigned index) {
    builder.setLoc(loop.getLoc());
    Value start = loop->getOperand(index), argument = body.getArgument(index);
    switch (kinds[index]) {
    case Kind::Invariant:
      return start;
    case Kind::Stack:
      return stacked.lookup(index);
    case Kind::Index: {
      Affine affine = *indices.of(argument);
      APInt last(typeOf(start).getElementTypeBitWidth(),
                 uint64_t(affine.offset + affine.scale * count),
                 /*isSigned=*/true, /*implicitTrunc=*/true);
      return stablehlo::ConstantOp::create(
          builder,
          DenseElementsAttr::get(cast<ShapedType>(typeOf(start)), last));
    }
    case Kind::Carry: {
      Value next =
          locals.lookupOrDefault(body.getTerminator()->getOperand(index));
      return smith::LoopNextOp::create(builder, next, locals.lookup(argument),
                                       number, count);
    }
    }
    llvm_unreachable("all kinds are handled");
  }

  stablehlo::WhileOp loop;
  Block &body;
  int64_t count;
  int64_t number;
  LoopIndices indices;
  ImplicitLocOpBuilder builder;
  IRMapping locals;
  SmallVector<Kind> kinds;
  int64_t carries = 0;
  DenseMap<Operation *, unsigned> stacks;
  DenseMap<unsigned, Value> stacked;
};

struct KeepCountedLoops : impl::KeepCountedLoopsBase<KeepCountedLoops> {
  using KeepCountedLoopsBase::KeepCountedLoopsBase;

  void runOnOperation() override {
    if (!getOperation().getBody().hasOneBlock())
      return;
    Block &block = getOperation().front();
    // The loops of a body are loops of the block once it is straight-line code.
    auto isLoop = [](Operation &op) { return isa<stablehlo::WhileOp>(op); };
    for (auto next = llvm::find_if(block, isLoop); next != block.end();
         next = llvm::find_if(block, isLoop)) {
      auto loop = cast<stablehlo::WhileOp>(*next);
      std::string reason;
      FailureOr<CountedLoop> counted =
          matchCountedLoop(loop, mostIterations, reason);
      if (failed(counted) || counted->iterations == 0) {
        loop.emitError() << "unsupported loop: not counted, " << reason;
        return signalPassFailure();
      }
      LoopKeeper(loop, counted->iterations).run();
    }
    smith::LoopNest nest(block);
    for (Operation &op : block) {
      // What is computed again outside of loops is up to the plan.
      if (nest.loopsOf(&op).empty())
        op.removeAttr(smith::kRecomputeAttributeName);
      else if (failed(checkStacked(&op, nest)))
        return signalPassFailure();
    }
  }

  /// The backward pass may keep the values of all iterations.
  static LogicalResult checkStacked(Operation *op,
                                    const smith::LoopNest &nest) {
    for (Value result : op->getResults()) {
      std::optional<int64_t> elements = typeOf(result).getNumElements();
      for (int64_t loop : nest.loopsOf(result))
        if (elements)
          elements = checkedMultiply(*elements, nest.counts().lookup(loop));
      if (!elements || *elements > mostElements)
        return op->emitError()
               << "unsupported: a " << result.getType()
               << " of every iteration is more than " << mostElements
               << " (2^56) elements; export the model with smaller sizes";
    }
    return success();
  }
};

} // namespace

bool canBeKept(stablehlo::WhileOp loop) {
  auto function = dyn_cast<func::FuncOp>(loop->getParentOp());
  // Bodies of derivatives are put into others, whose loops have numbers, too.
  bool isTopLevel = (function && !function.isPrivate()) ||
                    loop->getParentOfType<stablehlo::WhileOp>();
  if (!isTopLevel)
    return false;
  auto isComplex = [](Type type) {
    return isa<ComplexType>(getElementTypeOrSelf(type));
  };
  WalkResult result = loop->walk([&](Operation *op) {
    if (llvm::any_of(op->getOperandTypes(), isComplex) ||
        llvm::any_of(op->getResultTypes(), isComplex) ||
        isa<stablehlo::IfOp, stablehlo::CaseOp, sdy::ManualComputationOp>(op))
      return WalkResult::interrupt();
    std::string reason;
    auto inner = dyn_cast<stablehlo::WhileOp>(op);
    if (!inner)
      return WalkResult::advance();
    FailureOr<CountedLoop> counted =
        matchCountedLoop(inner, mostIterations, reason);
    return succeeded(counted) && counted->iterations > 0
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

} // namespace shardsmith
