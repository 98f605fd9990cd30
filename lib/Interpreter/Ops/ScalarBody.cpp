// SPDX-License-Identifier: Apache-2.0

#include "ScalarBody.h"

#include "../Kernels/Reduction.h"
#include "shardsmith/Dialect/StableHLO/Matching.h"
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
  // All kinds known here are commutative.
  Operation *op = stablehlo::matchCombiner(region);
  if (!op)
    return std::nullopt;
  std::optional<BinaryKind> kind = binaryKindOf(op);
  std::optional<StaticType> type =
      staticTypeOf(region.getArgument(0).getType());
  if (!kind || !type || !isFoldDefined(*kind, type->element))
    return std::nullopt;
  return kind;
}

} // namespace shardsmith::inline interpreter
