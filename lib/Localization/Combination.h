// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOCALIZATION_COMBINATION_H
#define SHARDSMITH_LIB_LOCALIZATION_COMBINATION_H

#include "shardsmith/Localization/LocalizeContext.h"

namespace shardsmith::stablehlo {

/// The axes over which the results of an op are partial because factors that
/// it combines along are split, and how they combine.
struct Combination {
  AxisList axes;
  ReductionKind kind = ReductionKind::Sum;
};

inline Combination getCombination(const LocalizeContext &context) {
  Combination combination;
  for (auto [factor, axes] :
       llvm::zip_equal(context.getRule().factors, context.getAxes().factors))
    if (factor.kind == FactorKind::Reduction && !axes.empty()) {
      llvm::append_range(combination.axes, axes);
      combination.kind = factor.reduction;
    }
  return combination;
}

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_LIB_LOCALIZATION_COMBINATION_H
