// SPDX-License-Identifier: Apache-2.0
//
// A choice of mesh axes per factor of an op fixes the layout of each operand
// and result:
//
//   dot ([i, k], [k, j])->([i, j])   i: {data}, j: {tensor}, k: {}
//     lhs [{data}, {}]   rhs [{}, {tensor}]   result [{data}, {tensor}]

#ifndef SHARDSMITH_SHARDING_FACTORAXES_H
#define SHARDSMITH_SHARDING_FACTORAXES_H

#include "shardsmith/Sharding/Layout.h"

namespace shardsmith {

struct FactorAxes {
  /// Per factor of the rule the axes that split it, major to minor.
  llvm::SmallVector<AxisList, 4> factors;
  /// Axes over which the operands of linear set `linearSet` are partial sums,
  /// in the order of the mesh.
  AxisList partial;
  unsigned linearSet = 0;

  /// No factor is split.
  static FactorAxes none(const FactorRule &rule);

  bool operator==(const FactorAxes &) const = default;
};

/// Returns an empty string if the choice is possible for an op with this rule,
/// else a sentence that names the first obstacle:
///  - there is one list of axes per factor, and no axis occurs twice;
///  - need-replication factors are not split;
///  - a factor is split into equal parts, unless it is a whole dimension;
///  - within a dimension a factor is split only if every factor major to it is
///    split down to single elements;
///  - the linear set exists, and all partial results combine in one way.
std::string verifyFactorAxes(const Mesh &mesh, const FactorRule &rule,
                             const FactorAxes &axes);

/// The layout an operand must have, and the one a result gets. The choice must
/// be possible.
Layout getOperandLayout(const Mesh &mesh, const FactorRule &rule,
                        const FactorAxes &axes, unsigned operand);
Layout getResultLayout(const Mesh &mesh, const FactorRule &rule,
                       const FactorAxes &axes, unsigned result);

} // namespace shardsmith

#endif // SHARDSMITH_SHARDING_FACTORAXES_H
