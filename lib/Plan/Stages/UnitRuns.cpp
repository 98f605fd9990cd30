// SPDX-License-Identifier: Apache-2.0

#include "UnitRuns.h"

#include <algorithm>

namespace shardsmith::search {

std::vector<UnitRun> runsOf(const Chain &chain, const Stage &stage) {
  std::vector<UnitRun> runs;
  for (int64_t unit = stage.begin; unit < stage.end;) {
    UnitRun run;
    run.first = size_t(unit - stage.begin);
    run.segment = chain.segmentOf(unit);
    run.choice = stage.recompute[run.first];
    int64_t end = std::min(stage.end,
                           chain.begin(run.segment) + chain.count(run.segment));
    while (unit < end &&
           stage.recompute[size_t(unit - stage.begin)] == run.choice)
      ++unit;
    run.count = unit - stage.begin - int64_t(run.first);
    runs.push_back(run);
  }
  return runs;
}

} // namespace shardsmith::search
