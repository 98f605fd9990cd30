// SPDX-License-Identifier: Apache-2.0
//
// Parameters that several units of the chain use under one name. A rank has a
// tensor once however many of its units use it, so of a group of `tensors`
// names it has the `tensors` largest parts that its units hold, if it has that
// many units of the group.

#ifndef SHARDSMITH_LIB_CHECK_SHAREDNAMES_H
#define SHARDSMITH_LIB_CHECK_SHAREDNAMES_H

#include "shardsmith/Workload/Workload.h"

#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace shardsmith::check {

/// Elements of one kind of parameter each.
struct Elements {
  int64_t dense = 0, expert = 0;
  /// Of both, whose gradients the tensor axis has to add up.
  int64_t sharedGradients = 0;

  void add(const Elements &other, int64_t times = 1);
  bool operator<(const Elements &other) const;
};

class SharedNames {
public:
  explicit SharedNames(const workload::Workload &workload);

  /// Of a parameter some name of which has several uses.
  std::optional<size_t> groupOf(workload::BlockIndex block,
                                size_t position) const;
  /// What a rank has of a group, of the parts that so many units hold.
  Elements held(size_t group,
                const std::map<Elements, int64_t> &unitsWith) const;
  /// Of that, what other ranks have as well: units elsewhere have no more names
  /// than there are such units.
  Elements heldElsewhere(size_t group,
                         const std::map<Elements, int64_t> &unitsWith) const;
  /// All units with a part of the group.
  int64_t unitsOf(size_t group) const { return units[group]; }

private:
  /// The largest parts, of so many names at most.
  static Elements largest(int64_t names,
                          const std::map<Elements, int64_t> &unitsWith);

  using Place = std::pair<workload::BlockIndex, size_t>;
  void tie(const Place &a, const Place &b);
  const Place &groupHead(const Place &place) const;

  /// Towards the head of the group.
  std::map<Place, Place> heads;
  std::map<Place, size_t> groups;
  std::vector<int64_t> tensors, units;
};

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_SHAREDNAMES_H
