// SPDX-License-Identifier: Apache-2.0
//
// What it costs to change the layout of values on one mesh.

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_RESHARDPRICES_H
#define SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_RESHARDPRICES_H

#include "Strategies.h"
#include "shardsmith/Cost/Programs/MeshTimes.h"
#include "shardsmith/ValueLayouts/Solver/PlanProblem.h"

#include "mlir/IR/BuiltinTypes.h"

#include <map>
#include <memory>

namespace shardsmith::plan {

/// Prices of all reshards from one list of layouts to another, each computed
/// once. `costs` and `pool` must outlive it.
class ReshardPrices {
public:
  ReshardPrices(const MeshTimes &costs, const LayoutPool &pool)
      : costs(costs), pool(pool) {}

  /// Nanoseconds of one reshard of a value of this type.
  int64_t price(mlir::RankedTensorType type, unsigned from, unsigned to);

  /// A row per layout of `from`, a column per layout of `to`: nanoseconds of
  /// that many reshards.
  std::shared_ptr<const CostTable> table(mlir::RankedTensorType type,
                                         const std::vector<unsigned> &from,
                                         const std::vector<unsigned> &to,
                                         int64_t times);

private:
  struct Key {
    const void *type;
    unsigned from;
    unsigned to;
    bool operator==(const Key &) const = default;
  };
  struct Hash {
    size_t operator()(const Key &key) const {
      return llvm::hash_combine(key.type, key.from, key.to);
    }
  };

  unsigned listId(const std::vector<unsigned> &list) {
    return lists.try_emplace(list, lists.size()).first->second;
  }

  const MeshTimes &costs;
  const LayoutPool &pool;
  std::unordered_map<Key, int64_t, Hash> prices;
  std::map<std::vector<unsigned>, unsigned> lists;
  std::map<std::tuple<const void *, unsigned, unsigned, int64_t>,
           std::shared_ptr<const CostTable>>
      tables;
};

} // namespace shardsmith::plan

#endif // SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_RESHARDPRICES_H
