// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/StableHLO/Matching.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

/// What a body of two arguments returns, or null if it is no such body.
Value returnedOfTwo(Region &body) {
  if (!body.hasOneBlock() || body.getNumArguments() != 2)
    return nullptr;
  auto terminator = dyn_cast<ReturnOp>(body.front().getTerminator());
  if (!terminator || terminator->getNumOperands() != 1)
    return nullptr;
  return terminator->getOperand(0);
}

} // namespace

Operation *matchCombiner(Region &body) {
  Value returned = returnedOfTwo(body);
  Operation *combine = returned ? returned.getDefiningOp() : nullptr;
  if (!combine || combine->getNumOperands() != 2 ||
      combine->getNumResults() != 1)
    return nullptr;
  Value first = body.getArgument(0), second = body.getArgument(1);
  Value lhs = combine->getOperand(0), rhs = combine->getOperand(1);
  bool combinesBoth =
      (lhs == first && rhs == second) || (lhs == second && rhs == first);
  return combinesBoth ? combine : nullptr;
}

std::optional<ReductionKind> matchReduction(Region &body) {
  Operation *combine = matchCombiner(body);
  if (!combine)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<ReductionKind>>(combine)
      .Case<AddOp>([](auto) { return ReductionKind::Sum; })
      .Case<AndOp>([](auto) { return ReductionKind::And; })
      .Case<MaxOp>([](auto) { return ReductionKind::Max; })
      .Case<MinOp>([](auto) { return ReductionKind::Min; })
      .Case<MulOp>([](auto) { return ReductionKind::Product; })
      .Case<OrOp>([](auto) { return ReductionKind::Or; })
      .Default([](Operation *) { return std::nullopt; });
}

bool returnsSecondArgument(Region &body) {
  Value returned = returnedOfTwo(body);
  return returned && returned == body.getArgument(1);
}

namespace {

/// The elements of a constant that are all equal; null for any other value.
DenseElementsAttr equalElementsOf(Value value) {
  Operation *producer = value.getDefiningOp();
  while (isa_and_nonnull<BroadcastInDimOp, ReshapeOp, ConvertOp, TransposeOp>(
      producer))
    producer = producer->getOperand(0).getDefiningOp();
  auto constant = dyn_cast_or_null<ConstantOp>(producer);
  if (!constant)
    return nullptr;
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  return elements && elements.isSplat() ? elements : nullptr;
}

} // namespace

bool isZero(Value value) {
  DenseElementsAttr elements = equalElementsOf(value);
  if (!elements)
    return false;
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().isZero();
  return isa<IntegerType>(elements.getElementType()) &&
         elements.getSplatValue<APInt>().isZero();
}

bool isOne(Value value) {
  DenseElementsAttr elements = equalElementsOf(value);
  if (!elements)
    return false;
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().isExactlyValue(1.0);
  return isa<IntegerType>(elements.getElementType()) &&
         elements.getSplatValue<APInt>().isOne();
}

bool hasSizesOf(DotGeneralOp dot, int64_t multiple) {
  auto numbers = dot.getDotDimensionNumbers();
  if (!numbers.getLhsBatchingDimensions().empty())
    return false;
  auto areMultiples = [&](Value operand, ArrayRef<int64_t> contracting) {
    int64_t reduced = 1, kept = 1;
    for (auto [i, size] :
         llvm::enumerate(cast<RankedTensorType>(operand.getType()).getShape()))
      (llvm::is_contained(contracting, static_cast<int64_t>(i)) ? reduced
                                                                : kept) *= size;
    return reduced > 0 && reduced % multiple == 0 && kept > 0 &&
           kept % multiple == 0;
  };
  return areMultiples(dot.getLhs(), numbers.getLhsContractingDimensions()) &&
         areMultiples(dot.getRhs(), numbers.getRhsContractingDimensions());
}

} // namespace shardsmith::stablehlo
