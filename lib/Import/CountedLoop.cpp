// SPDX-License-Identifier: Apache-2.0

#include "CountedLoop.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

#include <optional>

using namespace mlir;

namespace shardsmith {

std::optional<APInt> constantScalar(Value value) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) ||
      elements.getNumElements() != 1)
    return std::nullopt;
  return *elements.value_begin<APInt>();
}

namespace {

using stablehlo::ComparisonDirection;
using ConstantLookup = llvm::function_ref<std::optional<APInt>(Value)>;

/// Resolves values inside the regions of a loop.
class LoopValues {
public:
  LoopValues(stablehlo::WhileOp loop, ConstantLookup constant)
      : loop(loop), constant(constant), body(loop.getBody().front()),
        next(body.getTerminator()->getOperands()) {}

  /// Which of the loop's values `value` is, in the condition or the body.
  std::optional<unsigned> indexOf(Value value) const {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner()->getParentOp() != loop)
      return std::nullopt;
    return argument.getArgNumber();
  }

  /// The value of `value` if it is the same constant in every iteration.
  std::optional<APInt> invariant(Value value) const {
    std::optional<unsigned> index = indexOf(value);
    if (!index)
      return constant(value);
    if (next[*index] != body.getArgument(*index))
      return std::nullopt;
    return constant(loop->getOperand(*index));
  }

  /// By how much the body changes loop value `index` in every iteration.
  std::optional<APInt> stepOf(unsigned index) const {
    Operation *update = next[index].getDefiningOp();
    if (!update || !isa<stablehlo::AddOp, stablehlo::SubtractOp>(update))
      return std::nullopt;
    Value lhs = update->getOperand(0), rhs = update->getOperand(1);
    bool isSum = isa<stablehlo::AddOp>(update);
    Value counter = body.getArgument(index);
    if (isSum && rhs == counter)
      std::swap(lhs, rhs);
    if (lhs != counter)
      return std::nullopt;
    std::optional<APInt> amount = invariant(rhs);
    if (!amount)
      return std::nullopt;
    return isSum ? *amount : -*amount;
  }

private:
  stablehlo::WhileOp loop;
  ConstantLookup constant;
  Block &body;
  OperandRange next;
};

bool holds(ComparisonDirection direction, const APInt &lhs, const APInt &rhs,
           bool isUnsigned) {
  bool less = isUnsigned ? lhs.ult(rhs) : lhs.slt(rhs);
  switch (direction) {
  case ComparisonDirection::EQ:
    return lhs == rhs;
  case ComparisonDirection::NE:
    return lhs != rhs;
  case ComparisonDirection::LT:
    return less;
  case ComparisonDirection::LE:
    return less || lhs == rhs;
  case ComparisonDirection::GT:
    return !less && lhs != rhs;
  case ComparisonDirection::GE:
    return !less;
  }
  llvm_unreachable("unknown comparison direction");
}

ComparisonDirection mirrored(ComparisonDirection direction) {
  switch (direction) {
  case ComparisonDirection::LT:
    return ComparisonDirection::GT;
  case ComparisonDirection::LE:
    return ComparisonDirection::GE;
  case ComparisonDirection::GT:
    return ComparisonDirection::LT;
  case ComparisonDirection::GE:
    return ComparisonDirection::LE;
  case ComparisonDirection::EQ:
  case ComparisonDirection::NE:
    return direction;
  }
  llvm_unreachable("unknown comparison direction");
}

} // namespace

FailureOr<CountedLoop> matchCountedLoop(stablehlo::WhileOp loop,
                                        int64_t maxIterations,
                                        std::string &reason,
                                        ConstantLookup constant) {
  LoopValues values(loop, constant);
  Block &condition = loop.getCond().front();
  auto compare = condition.getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<stablehlo::CompareOp>();
  if (!compare) {
    reason = "its condition is not a comparison";
    return failure();
  }
  Value counter = compare.getLhs(), limit = compare.getRhs();
  ComparisonDirection direction = compare.getComparisonDirection();
  if (!values.indexOf(counter) || values.invariant(counter)) {
    std::swap(counter, limit);
    direction = mirrored(direction);
  }
  std::optional<unsigned> index = values.indexOf(counter);
  if (!index) {
    reason = "its condition does not compare a loop value";
    return failure();
  }
  std::optional<APInt> bound = values.invariant(limit);
  if (!bound) {
    reason = "the bound in its condition is not a constant integer";
    return failure();
  }
  std::optional<APInt> start = constant(loop->getOperand(*index));
  if (!start) {
    reason = llvm::formatv("loop value {0}, which its condition compares, does "
                           "not start at a constant integer",
                           *index);
    return failure();
  }
  std::optional<APInt> step = values.stepOf(*index);
  if (!step) {
    reason = llvm::formatv("its body does not add a constant to loop value "
                           "{0}, which its condition compares",
                           *index);
    return failure();
  }

  bool isUnsigned =
      cast<ShapedType>(counter.getType()).getElementType().isUnsignedInteger();
  CountedLoop counted{*index, *start, *step, 0};
  for (APInt now = *start; holds(direction, now, *bound, isUnsigned);
       now += *step)
    if (++counted.iterations > maxIterations) {
      reason = llvm::formatv("it runs more than {0} times", maxIterations);
      return failure();
    }
  return counted;
}

} // namespace shardsmith
