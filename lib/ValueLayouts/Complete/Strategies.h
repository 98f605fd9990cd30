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
  /// The axes of the op's factors; without meaning for arguments.
  FactorAxes axes;
  /// The layouts of operands and results, by their number in the pool.
  std::vector<unsigned> operands;
  std::vector<unsigned> results;
};

/// The strategy with these axes and the layouts that follow from them. The op
/// must be able to have the axes.
Strategy makeStrategy(const Mesh &mesh, const FactorRule &rule,
                      const FactorAxes &axes, LayoutPool &pool);

/// Whether the last shard of a dimension of this size has an element.
bool fillsAllShards(int64_t size, int64_t shards);

/// The axes of a mesh that are placed now, and whether two of them may split
/// one factor in either order or in that of the mesh alone.
struct AxisRange {
  MeshAxis begin, end;
  bool bothOrders = false;

  bool holds(MeshAxis axis) const { return axis >= begin && axis < end; }
};

/// Every assignment of these axes to factors that an op of this rule can have,
/// whose factors other axes split already: each axis splits one factor, makes
/// one linear set partial, or does nothing. No shard is empty. Of choices with
/// equal layouts of all operands and results only the first is kept.
std::vector<Strategy> enumerateStrategies(const Mesh &mesh,
                                          const FactorRule &rule,
                                          const FactorAxes &placed,
                                          AxisRange range, LayoutPool &pool);

/// Every layout of an argument of this shape: each axis splits one dimension
/// or none.
std::vector<Strategy> enumerateLayouts(const Mesh &mesh,
                                       llvm::ArrayRef<int64_t> shape,
                                       const Layout &placed, AxisRange range,
                                       LayoutPool &pool);

} // namespace shardsmith::plan

#endif // SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_STRATEGIES_H
