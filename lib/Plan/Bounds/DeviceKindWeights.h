// SPDX-License-Identifier: Apache-2.0
//
// Bounds on how well units share several kinds of device. With a weight for
// each kind, of ranks that take at most T each,
//
//     T · Σ over ranks of weight >= Σ over units of weight · time, on its kind
//                                >= Σ over units of the least weight · time
//
// whatever lies where. Weights that make one unit count the same on all kinds
// are the best ones for it, and for two kinds one of these is the best of all.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_DEVICEKINDWEIGHTS_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_DEVICEKINDWEIGHTS_H

#include "shardsmith/Support/Quantity.h"

#include <vector>

namespace shardsmith::search {

class DeviceKindWeights {
public:
  using Weights = std::vector<double>;

  /// What takes no time counts that much, in nanoseconds: nothing beside a
  /// step, but times can be divided.
  static constexpr double leastTime = 1e-6;

  /// So many equal units, and what one takes on each kind.
  void add(int64_t units, const std::vector<Nanoseconds> &times);

  size_t size() const { return groups.size(); }
  /// Which of the units added take longest together, where each takes least.
  size_t largest() const;
  /// Those with which the units `like` count the same on all kinds: at most 1,
  /// and more than 0, or what lies on a kind would count nothing.
  Weights weights(size_t like) const;
  /// What one of the units counts at least.
  double value(size_t group, const Weights &weights) const;
  /// What all of them count at least, a little less against rounding.
  double value(const Weights &weights) const;
  /// The least time in which so many ranks can take all units, by the best of
  /// the weights above: those of greatest weight if there are more, `onKinds`.
  double sharedBy(int64_t ranks, const std::vector<int64_t> &onKinds) const;

private:
  struct Group {
    double units;
    /// At least `leastTime`.
    std::vector<double> times;

    double least() const;
  };
  std::vector<Group> groups;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_DEVICEKINDWEIGHTS_H
