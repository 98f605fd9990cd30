// SPDX-License-Identifier: Apache-2.0
//
// Factors whose shards need elements of each other.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_FACTORRULES_NEIGHBOURS_H
#define SHARDSMITH_DIALECT_STABLEHLO_FACTORRULES_NEIGHBOURS_H

#include "shardsmith/Interfaces/FactorRuleModel.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace shardsmith::stablehlo {

/// Assembles a rule together with its neighbourhoods.
struct ReachingRuleBuilder : FactorRuleBuilder {
  using FactorRuleBuilder::FactorRuleBuilder;

  /// Adds the factor that a dimension of operands (of `elements` elements) and
  /// of results (of `positions`) have in common, of which position p needs
  /// what `reach` says. Where it needs element p alone, the factor passes
  /// through.
  void addReaching(llvm::ArrayRef<Place> operands,
                   llvm::ArrayRef<Place> results, int64_t elements,
                   int64_t positions, Reach reach) {
    if (elements == positions && reach == Reach()) {
      add(elements, operands, results);
      return;
    }
    if (elements == 0 || positions == 0) {
      for (Place place : operands)
        add(elements, {place}, {}, FactorKind::NeedReplication);
      for (Place place : results)
        add(positions, {}, {place}, FactorKind::NeedReplication);
      return;
    }
    FactorIndex factor = add(std::min(elements, positions), operands, results,
                             FactorKind::Permutation);
    for (Place place : operands)
      neighbourhoods.push_back({.factor = factor,
                                .operand = place.tensor,
                                .dimension = place.dimension,
                                .positions = positions,
                                .elements = elements,
                                .reach = reach});
  }

  ReachingRule buildReaching() { return {build(), std::move(neighbourhoods)}; }

  Neighbourhoods neighbourhoods;
};

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_DIALECT_STABLEHLO_FACTORRULES_NEIGHBOURS_H
