// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/PlanFiles/PlanReport.h"

#include <fmt/format.h>

namespace shardsmith {

namespace {

/// A duration in minutes, hours or days; below two minutes as `describeTime`
/// writes it.
std::string describeDuration(Nanoseconds time) {
  constexpr double minute = 60e9, hour = 60 * minute, day = 24 * hour;
  double count = double(time.count());
  if (count < 2 * minute)
    return describeTime(time);
  if (count < 2 * hour)
    return fmt::format("{:.1f} min", count / minute);
  if (count < 2 * day)
    return fmt::format("{:.1f} h", count / hour);
  return fmt::format("{:.1f} days", count / day);
}

} // namespace

std::string describeCheckpoints(const PlanDocument &document) {
  if (!document.checkpoints)
    return "";
  const Checkpoints &checkpoints = *document.checkpoints;
  std::string text = fmt::format("failures: one in {} on {} devices; ",
                                 describeDuration(checkpoints.untilFailure),
                                 document.strategy.rankCount());
  if (!checkpoints.times)
    return text + fmt::format("a checkpoint is {}; with host.storage_gb_per_s "
                              "of all nodes its interval would be known\n\n",
                              describeBytes(checkpoints.size));
  const CheckpointTimes &times = *checkpoints.times;
  return text +
         fmt::format("a checkpoint of {} takes {}, best every {}; {:.2f} "
                     "% of the time is lost\n\n",
                     describeBytes(checkpoints.size),
                     describeDuration(times.writing),
                     describeDuration(times.interval), 100 * times.lost);
}

} // namespace shardsmith
