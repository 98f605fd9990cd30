// SPDX-License-Identifier: Apache-2.0

#include "Families.h"

#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardsmith::stablehlo {

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

} // namespace shardsmith::stablehlo
