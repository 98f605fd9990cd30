// SPDX-License-Identifier: Apache-2.0

#include "ScalarBody.h"

#include "../Kernels/Reduction.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interpreter/TensorAttributes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
using namespace mlir;

namespace shardsmith::inline interpreter {

std::optional<BinaryKind> binaryKindOf(Operation *op) {
  using Kind = std::optional<BinaryKind>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case([](stablehlo::AddOp) { return Kind(BinaryKind::Add); })
      .Case([](stablehlo::AndOp) { return Kind(BinaryKind::And); })
      .Case([](stablehlo::MaxOp) { return Kind(BinaryKind::Maximum); })
      .Case([](stablehlo::MinOp) { return Kind(BinaryKind::Minimum); })
      .Case([](stablehlo::MulOp) { return Kind(BinaryKind::Multiply); })
      .Case([](stablehlo::OrOp) { return Kind(BinaryKind::Or); })
      .Case([](stablehlo::XorOp) { return Kind(BinaryKind::Xor); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<BinaryKind> foldOf(Region &region) {
  Block &block = region.front();
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2)
    return std::nullopt;
  Operation &op = block.front();
  Operation *terminator = block.getTerminator();
  if (op.getNumOperands() != 2 || op.getNumResults() != 1 ||
      terminator->getOperands() != op.getResults())
    return std::nullopt;
  Value a = block.getArgument(0), b = block.getArgument(1);
  const bool isInOrder = op.getOperand(0) == a && op.getOperand(1) == b;
  const bool isSwapped = op.getOperand(0) == b && op.getOperand(1) == a;
  // All kinds known here are commutative.
  if (!isInOrder && !isSwapped)
    return std::nullopt;
  std::optional<BinaryKind> kind = binaryKindOf(&op);
  std::optional<StaticType> type = staticTypeOf(a.getType());
  if (!kind || !type || !isFoldDefined(*kind, type->element))
    return std::nullopt;
  return kind;
}

bool returnsSecondArgument(Region &region) {
  Block &block = region.front();
  return block.getNumArguments() == 2 && block.getOperations().size() == 1 &&
         block.getTerminator()->getNumOperands() == 1 &&
         block.getTerminator()->getOperand(0) == block.getArgument(1);
}

} // namespace shardsmith::inline interpreter
