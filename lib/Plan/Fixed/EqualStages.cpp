// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Fixed/FixedPlan.h"

namespace shardsmith {
namespace {

/// Units in front of the layers and behind them: ends of the chain that do
/// not repeat.
struct Ends {
  int64_t front = 0, back = 0;
};

Ends endsOf(const workload::Workload &workload) {
  Ends ends;
  if (workload.segments.size() < 2)
    return ends;
  ends.front = workload.segments.front().count == 1 ? 1 : 0;
  ends.back = workload.segments.back().count == 1 ? 1 : 0;
  if (workload.unitCount() - ends.front - ends.back < 1)
    return {};
  return ends;
}

} // namespace

std::vector<int64_t> equalStages(const workload::Workload &workload,
                                 int64_t stages) {
  int64_t units = workload.unitCount();
  Ends ends = endsOf(workload);
  int64_t layers = units - ends.front - ends.back;
  std::vector<int64_t> begins;
  bool countsEnds = layers % stages != 0 && units % stages == 0;
  if (countsEnds) {
    for (int64_t stage = 0; stage <= stages; ++stage)
      begins.push_back(stage * (units / stages));
    return begins;
  }
  if (layers < stages)
    return begins;
  int64_t next = ends.front;
  for (int64_t stage = 0; stage < stages; ++stage) {
    begins.push_back(stage == 0 ? 0 : next);
    next += layers / stages + (stage < layers % stages ? 1 : 0);
  }
  begins.push_back(units);
  return begins;
}

} // namespace shardsmith
