// SPDX-License-Identifier: Apache-2.0

#include "Families.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardsmith::stablehlo {

bool isZero(Value value) {
  Operation *producer = value.getDefiningOp();
  while (isa_and_nonnull<BroadcastInDimOp, ReshapeOp, ConvertOp, TransposeOp>(
      producer))
    producer = producer->getOperand(0).getDefiningOp();
  auto constant = dyn_cast_or_null<ConstantOp>(producer);
  if (!constant)
    return false;
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements || !elements.isSplat())
    return false;
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().isZero();
  return isa<IntegerType>(elements.getElementType()) &&
         elements.getSplatValue<APInt>().isZero();
}

std::optional<ReductionKind> matchReduction(Region &body) {
  if (!body.hasOneBlock() || body.getNumArguments() != 2)
    return std::nullopt;
  Block &block = body.front();
  if (!llvm::hasNItems(block, 2))
    return std::nullopt;
  Operation &combine = block.front();
  Operation *terminator = block.getTerminator();
  if (combine.getNumOperands() != 2 || combine.getNumResults() != 1 ||
      terminator->getNumOperands() != 1 ||
      terminator->getOperand(0) != combine.getResult(0))
    return std::nullopt;
  Value first = block.getArgument(0), second = block.getArgument(1);
  bool straight =
      combine.getOperand(0) == first && combine.getOperand(1) == second;
  bool swapped =
      combine.getOperand(0) == second && combine.getOperand(1) == first;
  if (!straight && !swapped)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<ReductionKind>>(&combine)
      .Case<AddOp>([](auto) { return ReductionKind::Sum; })
      .Case<AndOp>([](auto) { return ReductionKind::And; })
      .Case<MaxOp>([](auto) { return ReductionKind::Max; })
      .Case<MinOp>([](auto) { return ReductionKind::Min; })
      .Case<MulOp>([](auto) { return ReductionKind::Product; })
      .Case<OrOp>([](auto) { return ReductionKind::Or; })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace shardsmith::stablehlo
