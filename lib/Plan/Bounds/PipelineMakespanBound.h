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

/// The units of a segment. Per device kind: the capacity of the ranks that may
/// hold them, which are the same ranks for all segments, and what a unit costs
/// there (its idle time, or any other number that is added up).
struct SharedSegment {
  int64_t units = 0;
  std::vector<DeviceKindCapacity> kinds;
  std::vector<double> costs;
};

/// Lower bounds that hold for every cut. They belong to the relaxation in which
/// parts of a unit may lie on different ranks and be recomputed in different
/// ways.
struct PipelineBound {
  /// The time per micro-batch of the busiest rank; saturated if it is above
  /// `atMost`.
  Nanoseconds busiest;
  /// How much the costs of all units exceed the costs if each unit lay on the
  /// kind where it costs least.
  Nanoseconds elsewhere;
};

/// Bounds for pipelines whose ranks take at most `atMost` each. `busiest` is 0
/// if the bound is not above `atLeast`.
PipelineBound pipelineMakespanBound(std::span<const SharedSegment> segments,
                                    RecomputeMask allowed, Nanoseconds atLeast,
                                    Nanoseconds atMost);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_PIPELINEMAKESPANBOUND_H
