// SPDX-License-Identifier: Apache-2.0
//
// How long the busiest rank takes at least because the units of all segments
// share the time and the memory of all ranks. `segmentMakespanBound` looks at
// one segment at a time, in whole units; a pipeline of encoder and decoder
// layers, or layers beside a large embedding, is fuller than that:
//
//                 fast rank   fast rank   slow rank   slow rank
//     time        ######      ######      ##########  ##########  <- limit
//     memory      ##########  ##########  ####        ####
//
// Fast ranks have time left, but no room for more units, so slow ones must
// take them.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_PIPELINEMAKESPANBOUND_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_PIPELINEMAKESPANBOUND_H

#include "SegmentMakespanBound.h"

#include <vector>

namespace shardsmith::search {

/// The units of a segment, and per kind of device the ranks that may hold them,
/// the same ranks for all segments, and some cost of a unit there.
struct SharedSegment {
  int64_t units = 0;
  std::vector<DeviceKindCapacity> kinds;
  std::vector<double> costs;
};

/// Lower bounds, whatever the cuts, if parts of units could be treated
/// differently.
struct PipelineBound {
  /// Per micro-batch, of the rank that takes longest; saturated if it is above
  /// what it may be.
  Nanoseconds busiest;
  /// By how much the costs of all units are above those where each is least.
  Nanoseconds elsewhere;
};

/// `busiest` is 0 if it is not above `atLeast`; ranks that take longer than
/// `atMost` are not wanted.
PipelineBound pipelineMakespanBound(std::span<const SharedSegment> segments,
                                    RecomputeMask allowed, Nanoseconds atLeast,
                                    Nanoseconds atMost);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_PIPELINEMAKESPANBOUND_H
