// SPDX-License-Identifier: Apache-2.0
//
// The work of one pipeline rank: the sum over the units of its stages.

#ifndef SHARDSMITH_LIB_CHECK_RANKWORK_H
#define SHARDSMITH_LIB_CHECK_RANKWORK_H

#include "UnitWork.h"

namespace shardsmith::check {

struct RankWork {
  unsigned pool = 0;
  /// Of one micro-batch through all stages of the rank.
  Nanoseconds forward, backwardInput, backwardWeight, recompute;
  /// What the kernels do not hide of the exchanges over each axis.
  std::map<Degree, Nanoseconds> exposed;
  Nanoseconds forwardExposed, backwardExposed;
  Bytes saved, workingSet;
  /// Parameters, once each; and once for each unit that uses them.
  Elements parameters, uses;
  int64_t largestUnitParameters = 0;
  /// Of the rank's last stage, and what every stage with a successor sends,
  /// over which links.
  Bytes handedOn;
  struct Send {
    Bytes bytes;
    GroupPath path;
  };
  std::vector<Send> sends;
  /// Units by block, for the list of collectives.
  std::vector<int64_t> unitsOfBlock;
  /// By group of shared tensors, how many units hold that of it.
  std::map<size_t, std::map<Elements, int64_t>> common;
  /// Of these, by group, what ranks of other stages have as well, and how many
  /// ranks may have it.
  struct Joint {
    Elements elements;
    int64_t ranks = 1;
  };
  std::vector<Joint> joint;
  /// The slowest of the links between stages.
  GroupPath farthest;

  Nanoseconds exposedOver(Degree axis) const {
    auto found = exposed.find(axis);
    return found == exposed.end() ? Nanoseconds() : found->second;
  }
  Nanoseconds exchanges() const {
    Nanoseconds sum;
    for (const auto &[axis, time] : exposed)
      sum += time;
    return sum;
  }
  Nanoseconds kernels() const {
    return forward + backwardInput + backwardWeight;
  }
  void add(const UnitWork &unit, workload::BlockIndex block, Recompute choice);
  /// Once all units are there.
  void addCommon(const SharedNames &names);
};

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_RANKWORK_H
