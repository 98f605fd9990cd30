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
  Nanoseconds tensor, context, expert;
  Nanoseconds forwardExposed, backwardExposed;
  Bytes saved, workingSet;
  int64_t denseParameters = 0, expertParameters = 0, sharedGradients = 0;
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

  Nanoseconds kernels() const {
    return forward + backwardInput + backwardWeight;
  }
  void add(const UnitWork &unit, workload::BlockIndex block, Recompute choice);
};

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_RANKWORK_H
