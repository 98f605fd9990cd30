// SPDX-License-Identifier: Apache-2.0
//
// The ways to spread one op, or one argument, over a mesh.

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_STRATEGIES_H
#define SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_STRATEGIES_H

#include "shardsmith/Sharding/FactorAxes.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <unordered_map>
#include <vector>

namespace shardsmith::plan {

/// Layouts by number; equal layouts have equal numbers.
class LayoutPool {
public:
  unsigned add(const Layout &layout);
  const Layout &operator[](unsigned id) const { return layouts[id]; }

private:
  struct Hash {
    size_t operator()(const Layout &layout) const { return hash_value(layout); }
  };
  std::vector<Layout> layouts;
  std::unordered_map<Layout, unsigned, Hash> ids;
};

struct Strategy {
  /// Meaningless for arguments.
  FactorAxes axes;
  /// Numbers of layouts.
  std::vector<unsigned> operands;
  std::vector<unsigned> results;
};

/// With the layouts that follow from these axes, which must be possible.
Strategy makeStrategy(const Mesh &mesh, const FactorRule &rule,
                      const FactorAxes &axes, LayoutPool &pool);

/// Every assignment of the mesh's axes to factors that an op of this rule can
/// have: each axis splits one factor, makes one linear set partial, or does
/// nothing. Two axes on one factor come in the order of the mesh, or in both
/// orders if `bothOrders` is set. No shard is empty. Of choices with equal
/// layouts of all operands and results only the first is kept.
std::vector<Strategy> enumerateStrategies(const Mesh &mesh,
                                          const FactorRule &rule,
                                          LayoutPool &pool, bool bothOrders);

/// Every layout of an argument of this shape: each axis splits one dimension
/// or none.
std::vector<Strategy> enumerateLayouts(const Mesh &mesh,
                                       llvm::ArrayRef<int64_t> shape,
                                       LayoutPool &pool, bool bothOrders);

} // namespace shardsmith::plan

#endif // SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_STRATEGIES_H
