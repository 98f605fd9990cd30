// SPDX-License-Identifier: Apache-2.0

#include "LoopIndices.h"

#include "shardsmith/Support/Quantity.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace shardsmith {
namespace {

std::optional<int64_t> constantNumber(Value value) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) ||
      elements.getNumElements() != 1)
    return std::nullopt;
  APInt number = *elements.value_begin<APInt>();
  bool isUnsigned = typeOf(value).getElementType().isUnsignedInteger();
  unsigned bits =
      isUnsigned ? number.getActiveBits() + 1 : number.getSignificantBits();
  if (bits > 64)
    return std::nullopt;
  return isUnsigned ? int64_t(number.getZExtValue()) : number.getSExtValue();
}

} // namespace

bool LoopIndices::isInvariant(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == &body)
    return body.getTerminator()->getOperand(argument.getArgNumber()) == value;
  return value.getParentBlock() != &body;
}

std::optional<Affine> LoopIndices::of(Value value) {
  auto [entry, isNew] = known.try_emplace(value, std::nullopt);
  if (!isNew)
    return entry->second;
  std::optional<Affine> result = find(value);
  if (result && !fits(*result, value))
    result.reset();
  known[value] = result;
  return result;
}

/// Of a loop value that grows by a constant from a constant: its value at the
/// begin of the iteration.
std::optional<Affine> LoopIndices::ofArgument(unsigned index) const {
  std::optional<int64_t> start = constantNumber(loop->getOperand(index));
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
      if (std::optional<int64_t> step = constantNumber(by))
        return Affine{*step, *start};
  return std::nullopt;
}

/// Whether no iteration's value wraps around in the type.
bool LoopIndices::fits(Affine affine, Value value) const {
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
    if (type.isUnsigned() ? number < 0 || wide.getActiveBits() > type.getWidth()
                          : wide.getSignificantBits() > type.getWidth())
      return false;
  }
  return true;
}

std::optional<Affine> LoopIndices::find(Value value) {
  if (!isa<IntegerType>(typeOf(value).getElementType()) ||
      typeOf(value).getNumElements() != 1)
    return std::nullopt;
  if (std::optional<int64_t> number = constantNumber(value))
    return Affine{0, *number};
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &body ? ofArgument(argument.getArgNumber())
                                        : std::nullopt;
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != &body)
    return std::nullopt;
  if (isa<stablehlo::ConvertOp, stablehlo::ReshapeOp>(op))
    return of(op->getOperand(0));
  if (isa<stablehlo::AddOp, stablehlo::SubtractOp>(op))
    return ofSum(op);
  if (auto select = dyn_cast<stablehlo::SelectOp>(op))
    if (std::optional<bool> choice = decide(select.getPred()))
      return of(*choice ? select.getOnTrue() : select.getOnFalse());
  return std::nullopt;
}

std::optional<Affine> LoopIndices::ofSum(Operation *op) {
  std::optional<Affine> lhs = of(op->getOperand(0)),
                        rhs = of(op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  bool isSum = isa<stablehlo::AddOp>(op);
  auto combine = [&](int64_t a, int64_t b) {
    return isSum ? llvm::checkedAdd(a, b) : llvm::checkedSub(a, b);
  };
  std::optional<int64_t> scale = combine(lhs->scale, rhs->scale);
  std::optional<int64_t> offset = combine(lhs->offset, rhs->offset);
  if (!scale || !offset)
    return std::nullopt;
  return Affine{*scale, *offset};
}

/// A comparison that comes out alike in all iterations: `i < 0`.
std::optional<bool> LoopIndices::decide(Value condition) {
  auto compare = condition.getDefiningOp<stablehlo::CompareOp>();
  if (!compare ||
      compare.getComparisonDirection() != stablehlo::ComparisonDirection::LT)
    return std::nullopt;
  std::optional<Affine> lhs = of(compare.getLhs()), rhs = of(compare.getRhs());
  if (!lhs || !rhs || rhs->scale != 0)
    return std::nullopt;
  int64_t last = lhs->offset + lhs->scale * (count - 1);
  bool first = lhs->offset < rhs->offset;
  if (first != (last < rhs->offset))
    return std::nullopt;
  return first;
}

} // namespace shardsmith
