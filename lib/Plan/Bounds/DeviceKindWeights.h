// SPDX-License-Identifier: Apache-2.0
//
// Bounds on how well units share several device kinds. Let each kind have a
// weight. If every rank takes at most T, then
//
//     T · Σ over ranks of weight >= Σ over units of weight · time, on its kind
//                                >= Σ over units of the least weight · time
//
// for every placement. The weights are the Lagrange multipliers of this bound.
// Those that make the units of one block count alike on all kinds are the best
// ones for that block, and for two kinds one of these is the best of all
// weights.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_DEVICEKINDWEIGHTS_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_DEVICEKINDWEIGHTS_H

#include "shardsmith/Support/Quantity.h"

#include <vector>

namespace shardsmith::search {

class DeviceKindWeights {
public:
  using Weights = std::vector<double>;

  /// A unit that takes no time counts this much, in nanoseconds: far less than
  /// a step, and other times can be divided by it.
  static constexpr double leastTime = 1e-6;

  /// Adds `units` equal units of which one takes `times[kind]` on each kind.
  void add(int64_t units, const std::vector<Nanoseconds> &times);

  size_t size() const { return groups.size(); }
  /// The index of the group of units that takes longest in total if each unit
  /// lies on the kind where it takes least.
  size_t largest() const;
  /// The weights with which the units of group `like` count the same on all
  /// kinds. They are at most 1 and more than 0; with the weight 0 units on a
  /// kind would not count.
  Weights weights(size_t like) const;
  /// The least that one unit of the group counts on any kind, weight · time.
  double value(size_t group, const Weights &weights) const;
  /// The least that all units together count; a little less than the sum, so
  /// that rounding does not make it too large.
  double value(const Weights &weights) const;
  /// A lower bound on the time in which `ranks` ranks can take all units, by
  /// the best of the weights above. `onKinds` says how many ranks each kind
  /// has; if there are more than `ranks`, those of greatest weight count.
  double sharedBy(int64_t ranks, const std::vector<int64_t> &onKinds) const;

private:
  struct Group {
    double units;
    /// Per kind; at least `leastTime`.
    std::vector<double> times;

    double least() const;
  };
  std::vector<Group> groups;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_DEVICEKINDWEIGHTS_H
