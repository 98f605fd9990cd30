// SPDX-License-Identifier: Apache-2.0
//
// A loop becomes straight-line code with markers (docs/loops.md). Of one that
// is counted, an element of dimension 0 that is taken at the iteration's number
// i, or at count − 1 − i, is what `lax.scan` takes of its inputs; one that is
// written there, into a value that is used for nothing else, is one of its
// outputs. Of one that is not, the condition is computed of the values that it
// begins with, and again at the end of an iteration, for the next one:
//
//     while (goes_on(x))        g = goes_on(x)
//       x = f(x)          ─▶    while (g)
//                                 x = f(x),  g = goes_on(x)
//
// Branches are loops that are done once or not at all.

#include "CountedLoop.h"
#include "LargeLoops.h"
#include "LoopIndices.h"
#include "SizeLimits.h"
#include "Unsupported.h"
#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/LoopNest.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Import/Passes.h"
#include "shardsmith/Support/Quantity.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_MARKLOOPS
#include "shardsmith/Import/Passes.h.inc"

namespace {

class LoopMarker {
public:
  /// A loop without `counted` iterations is one that its condition decides.
  LoopMarker(stablehlo::WhileOp loop, std::optional<int64_t> counted)
      : loop(loop), body(loop.getBody().front()), isCounted(counted),
        count(counted.value_or(expectedIterations)),
        number(smith::getFreeLoopNumber(*loop->getBlock())),
        indices(loop, count), builder(loop.getLoc(), loop) {}

  void run() {
    Value begins;
    if (!isCounted)
      begins = goesOn(loop->getOperands());
    for (unsigned index = 0; index < loop->getNumOperands(); ++index)
      enter(index);
    for (Operation &op : body.without_terminator())
      copy(op);
    if (!isCounted)
      decide(begins);
    for (unsigned index = 0; index < loop->getNumOperands(); ++index)
      loop->getResult(index).replaceAllUsesWith(leave(index));
    loop->erase();
  }

private:
  enum class Kind { Invariant, Index, Stack, Carry };

  /// The condition, of these values of the loop.
  Value goesOn(ValueRange values) {
    Block &condition = loop.getCond().front();
    IRMapping inside;
    inside.map(condition.getArguments(), values);
    for (Operation &op : condition.without_terminator())
      builder.clone(op, inside);
    return inside.lookupOrDefault(condition.getTerminator()->getOperand(0));
  }

  void decide(Value begins) {
    builder.setLoc(loop.getLoc());
    Value carry = smith::LoopCarryOp::create(builder, begins.getType(), begins,
                                             number, count, carries++);
    SmallVector<Value> next;
    for (Value value : body.getTerminator()->getOperands())
      next.push_back(locals.lookupOrDefault(value));
    smith::LoopNextOp::create(builder, goesOn(next), carry, number, count,
                              /*decides=*/true);
  }

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
    } else if (isCounted && indices.of(argument)) {
      kinds.push_back(Kind::Index);
      locals.map(argument, makeIndex(*indices.of(argument), typeOf(argument)));
    } else if (stablehlo::DynamicUpdateSliceOp update =
                   isCounted ? stackedBy(index) : nullptr) {
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
        slice && isCounted && indices.isInvariant(slice.getOperand()))
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
                                       number, count, /*decides=*/false);
    }
    }
    llvm_unreachable("all kinds are handled");
  }

  stablehlo::WhileOp loop;
  Block &body;
  bool isCounted;
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

bool isControlFlow(Operation *op) {
  return isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp>(op);
}

/// Every branch becomes a loop that is done once or not at all, as a boolean
/// says; what it returns is what later ones leave as it is:
///
///     r = p ? f(x) : g(x)   ─▶   while (p)      r = f(x),  p = false
///                                while (not p)  r = g(x),  …
///
/// What it reads enters by a marker, or it would be done before the loop.
class BranchMarker {
public:
  explicit BranchMarker(Operation *branch)
      : branch(branch), builder(branch->getLoc(), branch) {}

  void run() {
    for (Type type : branch->getResultTypes())
      results.push_back(filled(builder, cast<RankedTensorType>(type), 0.0));
    SmallVector<Value> choices = findChoices();
    for (auto [region, choice] : llvm::zip_equal(branch->getRegions(), choices))
      mark(region, choice);
    branch->replaceAllUsesWith(results);
    branch->erase();
  }

private:
  /// Whether each of the regions is taken; the last one is where no other is.
  SmallVector<Value> findChoices() {
    Value operand = branch->getOperand(0);
    if (isa<stablehlo::IfOp>(branch))
      return {operand, stablehlo::NotOp::create(builder, operand)};
    SmallVector<Value> choices;
    Value any = stablehlo::ConstantOp::create(builder, boolean(false));
    for (unsigned i = 0; i + 1 < branch->getNumRegions(); ++i) {
      auto number = DenseElementsAttr::get(cast<ShapedType>(operand.getType()),
                                           APInt(32, i));
      choices.push_back(stablehlo::CompareOp::create(
          builder, operand, stablehlo::ConstantOp::create(builder, number),
          stablehlo::ComparisonDirection::EQ));
      any = stablehlo::OrOp::create(builder, any, choices.back());
    }
    choices.push_back(stablehlo::NotOp::create(builder, any));
    return choices;
  }

  DenseElementsAttr boolean(bool value) {
    return DenseElementsAttr::get(
        RankedTensorType::get({}, builder.getI1Type()), value);
  }

  void mark(Region &region, Value choice) {
    int64_t loop = smith::getFreeLoopNumber(*branch->getBlock());
    int64_t carries = 0;
    auto carry = [&](Value start) {
      return smith::LoopCarryOp::create(builder, start.getType(), start, loop,
                                        /*count=*/1, carries++);
    };
    llvm::SetVector<Value> read;
    mlir::getUsedValuesDefinedAbove(region, read);
    IRMapping inside;
    for (Value value : read)
      if (!matchPattern(value, m_Constant()))
        inside.map(value, smith::LoopEnterOp::create(builder, value.getType(),
                                                     value, loop, /*count=*/1));
    for (Operation &op : region.front().without_terminator())
      builder.clone(op, inside);
    Operation *terminator = region.front().getTerminator();
    for (auto [result, returned] :
         llvm::zip_equal(results, terminator->getOperands()))
      result = smith::LoopNextOp::create(
          builder, inside.lookupOrDefault(returned), carry(result), loop,
          /*count=*/1, /*decides=*/false);
    Value never = stablehlo::ConstantOp::create(builder, boolean(false));
    smith::LoopNextOp::create(builder, never, carry(choice), loop, /*count=*/1,
                              /*decides=*/true);
  }

  Operation *branch;
  ImplicitLocOpBuilder builder;
  SmallVector<Value> results;
};

struct MarkLoops : impl::MarkLoopsBase<MarkLoops> {
  using MarkLoopsBase::MarkLoopsBase;

  void runOnOperation() override {
    if (!getOperation().getBody().hasOneBlock())
      return;
    Block &block = getOperation().front();
    unsupported = ErrorList();
    DenseSet<Operation *> left;
    // What is in a body is in the block once the body is straight-line code.
    auto isNext = [&](Operation &op) {
      return isControlFlow(&op) && !left.contains(&op);
    };
    for (auto next = llvm::find_if(block, isNext); next != block.end();
         next = llvm::find_if(block, isNext))
      if (std::string reason = whyNotKept(&*next); reason.empty())
        mark(&*next);
      else if (!refuse(&*next, reason))
        left.insert(&*next);
    smith::LoopNest nest(block);
    for (Operation &op : block) {
      // What is computed again outside of loops is up to the plan.
      if (nest.loopsOf(&op).empty())
        op.removeAttr(smith::kRecomputeAttributeName);
      else
        checkStacked(&op, nest);
    }
    if (failed(reportUnsupported(getOperation(), unsupported, goOn)))
      signalPassFailure();
  }

private:
  static void mark(Operation *op) {
    auto loop = dyn_cast<stablehlo::WhileOp>(op);
    if (!loop) {
      BranchMarker(op).run();
      return;
    }
    std::string reason;
    FailureOr<CountedLoop> counted =
        matchCountedLoop(loop, mostIterations, reason);
    std::optional<int64_t> iterations;
    if (succeeded(counted) && counted->iterations > 0)
      iterations = counted->iterations;
    LoopMarker(loop, iterations).run();
  }

  /// Returns whether `op` is no longer there.
  bool refuse(Operation *op, const std::string &reason) {
    StringRef what = isa<stablehlo::WhileOp>(op) ? "loop" : "branch";
    unsupported.add(op->getLoc(),
                    ("unsupported " + what + ": it " + reason).str());
    return replaceByZeros(op);
  }

  /// The backward pass may keep the values of all iterations.
  void checkStacked(Operation *op, const smith::LoopNest &nest) {
    for (Value result : op->getResults()) {
      std::optional<int64_t> elements = typeOf(result).getNumElements();
      for (int64_t loop : nest.loopsOf(result))
        if (elements)
          elements = checkedMultiply(*elements, nest.counts().lookup(loop));
      if (!elements || *elements > mostElements)
        unsupported.add(
            op->getLoc(),
            "unsupported: a " + quoted(result.getType()) +
                " of every iteration is more than " +
                std::to_string(mostElements) +
                " (2^56) elements; export the model with smaller sizes");
    }
  }

  ErrorList unsupported;
};

} // namespace

std::string whyNotKept(Operation *op) {
  for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent);
       parent = parent->getParentOp())
    if (!isControlFlow(parent))
      return "is in another op";
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  std::string reason;
  op->walk([&](Operation *nested) {
    if (isa<sdy::ManualComputationOp>(nested))
      reason = "has a manual computation inside";
    if (!llvm::all_of(nested->getOperandTypes(), isStatic) ||
        !llvm::all_of(nested->getResultTypes(), isStatic))
      reason = "has values inside that are no tensors of static shapes";
  });
  return reason;
}

bool hasLoopCountedByIndex(stablehlo::WhileOp loop, int64_t count) {
  LoopIndices indices(loop, count);
  // In the first iteration.
  auto constant = [&](Value value) -> std::optional<APInt> {
    if (std::optional<APInt> known = constantScalar(value))
      return known;
    std::optional<Affine> affine = indices.of(value);
    if (!affine)
      return std::nullopt;
    return APInt(typeOf(value).getElementTypeBitWidth(),
                 uint64_t(affine->offset), /*isSigned=*/true,
                 /*implicitTrunc=*/true);
  };
  WalkResult result = loop.getBody().walk([&](stablehlo::WhileOp inner) {
    std::string reason;
    bool isCounted = succeeded(matchCountedLoop(inner, mostIterations, reason));
    return !isCounted && succeeded(matchCountedLoop(inner, mostIterations,
                                                    reason, constant))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

} // namespace shardsmith
