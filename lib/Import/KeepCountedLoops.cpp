// SPDX-License-Identifier: Apache-2.0
//
// A counted loop becomes straight-line code with markers (docs/loops.md). The
// indices that its body computes are affine in the number of the iteration,
//
//     value = scale · i + offset,   0 ≤ i < count,
//
// or are not looked into. An element of dimension 0 that is taken at i, or at
// count − 1 − i, is what `lax.scan` takes of its inputs; one that is written
// there, into a value that is used for nothing else, is one of its outputs.

#include "CountedLoop.h"
#include "LargeLoops.h"
#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/LoopNest.h"
#include "shardsmith/Import/Passes.h"
#include "shardsmith/Support/Quantity.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_KEEPCOUNTEDLOOPS
#include "shardsmith/Import/Passes.h.inc"

namespace {

struct Affine {
  int64_t scale = 0;
  int64_t offset = 0;
};

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

std::optional<int64_t> constantScalar(Value value) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) ||
      elements.getNumElements() != 1)
    return std::nullopt;
  APInt number = *elements.value_begin<APInt>();
  bool isUnsigned = typeOf(value).getElementType().isUnsignedInteger();
  unsigned bits = isUnsigned ? number.getActiveBits() + 1
                             : unsigned(number.getSignificantBits());
  if (bits > 64)
    return std::nullopt;
  return isUnsigned ? int64_t(number.getZExtValue()) : number.getSExtValue();
}

/// What the values of a loop's body are in terms of the iteration's number.
class LoopIndices {
public:
  LoopIndices(stablehlo::WhileOp loop, int64_t count)
      : loop(loop), body(loop.getBody().front()), count(count) {}

  /// The same in every iteration, and known before the loop.
  bool isInvariant(Value value) const {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &body)
      return body.getTerminator()->getOperand(argument.getArgNumber()) == value;
    return value.getParentBlock() != &body;
  }

  std::optional<Affine> of(Value value) {
    auto [entry, isNew] = known.try_emplace(value, std::nullopt);
    if (!isNew)
      return entry->second;
    std::optional<Affine> result = find(value);
    if (result && !fits(*result, value))
      result.reset();
    known[value] = result;
    return result;
  }

  /// Of a loop value that grows by a constant from a constant: its value at
  /// the begin of the iteration.
  std::optional<Affine> ofArgument(unsigned index) const {
    std::optional<int64_t> start = constantScalar(loop->getOperand(index));
    Value argument = body.getArgument(index);
    Value next = body.getTerminator()->getOperand(index);
    if (start && next == argument)
      return Affine{0, *start};
    auto add = next.getDefiningOp<stablehlo::AddOp>();
    if (!start || !add || typeOf(argument).getRank() != 0)
      return std::nullopt;
    for (auto [from, by] : {std::pair(add.getLhs(), add.getRhs()),
                            std::pair(add.getRhs(), add.getLhs())})
      if (from == argument)
        if (std::optional<int64_t> step = constantScalar(by))
          return Affine{*step, *start};
    return std::nullopt;
  }

private:
  /// Whether no iteration's value wraps around in the type.
  bool fits(Affine affine, Value value) const {
    auto type = dyn_cast<IntegerType>(typeOf(value).getElementType());
    if (!type || type.getWidth() > 64)
      return false;
    std::optional<int64_t> way = checkedMultiply(affine.scale, count);
    std::optional<int64_t> last =
        way ? llvm::checkedAdd(*way, affine.offset) : std::nullopt;
    if (!last)
      return false;
    for (int64_t number : {affine.offset, *last}) {
      APInt wide(65, uint64_t(number), /*isSigned=*/true);
      if (type.isUnsigned()
              ? number < 0 || wide.getActiveBits() > type.getWidth()
              : wide.getSignificantBits() > type.getWidth())
        return false;
    }
    return true;
  }

  std::optional<Affine> find(Value value) {
    if (!isa<IntegerType>(typeOf(value).getElementType()) ||
        typeOf(value).getNumElements() != 1)
      return std::nullopt;
    if (std::optional<int64_t> number = constantScalar(value))
      return Affine{0, *number};
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() == &body ? ofArgument(argument.getArgNumber())
                                          : std::nullopt;
    Operation *op = value.getDefiningOp();
    if (op->getBlock() != &body)
      return std::nullopt;
    if (isa<stablehlo::ConvertOp, stablehlo::ReshapeOp>(op))
      return of(op->getOperand(0));
    if (isa<stablehlo::AddOp, stablehlo::SubtractOp>(op)) {
      std::optional<Affine> lhs = of(op->getOperand(0)),
                            rhs = of(op->getOperand(1));
      if (!lhs || !rhs)
        return std::nullopt;
      int64_t sign = isa<stablehlo::AddOp>(op) ? 1 : -1;
      std::optional<int64_t> scale =
          llvm::checkedAdd(lhs->scale, sign * rhs->scale);
      std::optional<int64_t> offset =
          llvm::checkedAdd(lhs->offset, sign * rhs->offset);
      if (!scale || !offset)
        return std::nullopt;
      return Affine{*scale, *offset};
    }
    if (auto select = dyn_cast<stablehlo::SelectOp>(op)) {
      std::optional<bool> choice = decide(select.getPred());
      if (choice)
        return of(*choice ? select.getOnTrue() : select.getOnFalse());
    }
    return std::nullopt;
  }

  /// A comparison that comes out alike in all iterations: `i < 0`.
  std::optional<bool> decide(Value condition) {
    auto compare = condition.getDefiningOp<stablehlo::CompareOp>();
    if (!compare ||
        compare.getComparisonDirection() != stablehlo::ComparisonDirection::LT)
      return std::nullopt;
    std::optional<Affine> lhs = of(compare.getLhs()),
                          rhs = of(compare.getRhs());
    if (!lhs || !rhs || rhs->scale != 0)
      return std::nullopt;
    int64_t last = lhs->offset + lhs->scale * (count - 1);
    bool first = lhs->offset < rhs->offset;
    if (first != (last < rhs->offset))
      return std::nullopt;
    return first;
  }

  stablehlo::WhileOp loop;
  Block &body;
  int64_t count;
  DenseMap<Value, std::optional<Affine>> known;
};

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
    // What is computed again outside of loops is up to the plan.
    smith::LoopNest nest(block);
    for (Operation &op : block)
      if (nest.loopsOf(&op).empty())
        op.removeAttr(smith::kRecomputeAttributeName);
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
