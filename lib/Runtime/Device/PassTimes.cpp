// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Device/PassTimes.h"

#include <algorithm>

namespace shardsmith::runtime::device {

StepTimes timesOfPasses(const ActionList &list,
                        std::span<const TimedAction> times) {
  enum class Seen { Nothing, Exchanges, Kernels };
  std::vector<Seen> seen(list.passes.size(), Seen::Nothing);
  StepTimes result;
  result.passes.resize(list.passes.size());
  int64_t previousEnd = 0;
  for (const TimedAction &time : times) {
    const Action &action = list.actions[time.number];
    bool isCompute = action.stream == ActionList::computeStream;
    if (isCompute && action.takes)
      result.waits.push_back(
          {*action.takes, previousEnd, std::max(previousEnd, time.begin)});
    if (action.pass) {
      TimeSpan &pass = result.passes[*action.pass];
      Seen &known = seen[*action.pass];
      if (isCompute) {
        pass.begin = known == Seen::Kernels ? pass.begin : time.begin;
        pass.end = time.end;
        known = Seen::Kernels;
      } else if (known == Seen::Nothing) {
        pass = {previousEnd, previousEnd};
        known = Seen::Exchanges;
      }
    }
    if (isCompute)
      previousEnd = std::max(previousEnd, time.end);
  }
  // Passes that do nothing come right behind the ones before.
  for (size_t i = 1; i < seen.size(); ++i)
    if (seen[i] == Seen::Nothing)
      result.passes[i] = {result.passes[i - 1].end, result.passes[i - 1].end};
  return result;
}

} // namespace shardsmith::runtime::device
