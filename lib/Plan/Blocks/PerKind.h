// SPDX-License-Identifier: Apache-2.0
//
// Pareto fronts of layouts whose units may lie on any of several device kinds:
// a layout dominates another one if it does so on each of them.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_PERKIND_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_PERKIND_H

#include "ParetoFront.h"

#include <ranges>
#include <vector>

namespace shardsmith::blocks {

/// `Sums` on each of several device kinds.
template <typename Sums> struct PerKind {
  std::vector<Sums> kinds;

  void add(const PerKind &other) {
    for (size_t kind = 0; kind < kinds.size(); ++kind)
      kinds[kind].add(other.kinds[kind]);
  }
  bool noWorseThan(const PerKind &other) const {
    for (size_t kind = 0; kind < kinds.size(); ++kind)
      if (!kinds[kind].noWorseThan(other.kinds[kind]))
        return false;
    return true;
  }
  auto operator<=>(const PerKind &) const = default;
};

/// Makes `sums` zero on so many kinds.
template <typename Sums> void setKinds(Sums &, size_t) {}
template <typename Sums> void setKinds(PerKind<Sums> &sums, size_t kinds) {
  sums.kinds.resize(kinds);
}
template <typename Sums> std::span<Sums> kindsOf(Sums &sums) {
  return {&sums, 1};
}
template <typename Sums> std::span<Sums> kindsOf(PerKind<Sums> &sums) {
  return sums.kinds;
}
template <typename Sums>
std::span<const Sums> kindsOf(const PerKind<Sums> &sums) {
  return sums.kinds;
}

/// The common part of `Costs` for a `TableBuilder`, on one device kind or on
/// several.
template <typename Sums> class KindCosts : public ParetoCosts<Sums> {
public:
  using Entry = ParetoCosts<Sums>::Entry;

  Entry nothing() const {
    Entry front;
    front.offer({{none(), 0}});
    return front;
  }

protected:
  /// One model per kind; the models must outlive this object.
  explicit KindCosts(std::span<const UnitCostModel *const> models,
                     Compare compare = Compare::All)
      : models(models), grid(*models.front(), compare) {}

  /// Offers a decision; `set(sums, kind, costs)` writes down what it costs on a
  /// kind.
  template <typename PriceOn, typename Set>
  void offerPriced(Entry &front, PriceOn priceOn, Decision decision, Set set) {
    Sums sums = none();
    int64_t transient = 0;
    for (size_t kind = 0; kind < models.size(); ++kind) {
      const UnitCosts &costs = priceOn(*models[kind]);
      if (costs.forward.isSaturated())
        return;
      set(kindsOf(sums)[kind], kind, costs);
      // Memory is the same on all kinds of device.
      transient = grid.ofBytes(costs.transient);
    }
    this->offerPart(front, sums, transient, decision);
  }
  /// Sets the sums of a finished layout by calling `set` with its costs on each
  /// kind.
  template <typename Set>
  void setFinished(Sums &sums, const BlockEntry &entry, Set set) const {
    for (size_t kind = 0; kind < models.size(); ++kind)
      set(kindsOf(sums)[kind], kind,
          kind == 0 ? entry.costs : models[kind]->price(entry.layout));
  }

  std::span<const UnitCostModel *const> models;
  EpsilonGrid grid;

private:
  Sums none() const {
    Sums sums;
    setKinds(sums, models.size());
    return sums;
  }
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_PERKIND_H
