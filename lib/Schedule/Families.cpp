// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Schedule/Families.h"

#include "Orders.h"
#include "shardsmith/Strategy/ScheduleTraits.h"
#include "shardsmith/Support/Quantity.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::schedule {
namespace {

/// Lists are written out; this many take some hundred megabytes.
constexpr int64_t largestPassCount = int64_t(1) << 22;

std::string tooLong(const PipelineShape &shape) {
  auto stages = checkedMultiply(shape.ranks, shape.virtualStages);
  auto passes = checkedMultiply(stages.value_or(INT64_MAX), shape.microBatches);
  if (stages && passes && *passes <= largestPassCount)
    return {};
  return fmt::format("{} ranks of {} stages with {} micro-batches are more "
                     "than {} passes, too many to list one by one",
                     shape.ranks, shape.virtualStages, shape.microBatches,
                     largestPassCount);
}

} // namespace

std::string obstacle(ScheduleFamily family, const PipelineShape &shape) {
  if (shape.ranks < 1 || shape.virtualStages < 1 || shape.microBatches < 1)
    return fmt::format("a pipeline needs at least one rank, stage and "
                       "micro-batch, got {}, {} and {}",
                       shape.ranks, shape.virtualStages, shape.microBatches);
  const ScheduleTraits &traits = traitsOf(family);
  if (traits.stagesPerRank && shape.virtualStages != *traits.stagesPerRank)
    return fmt::format("{} runs {} per rank, not {}", traits.name,
                       *traits.stagesPerRank == 1 ? "one stage" : "two stages",
                       shape.virtualStages);
  int64_t least = traits.leastMicroBatches(shape.ranks);
  if (shape.microBatches < least)
    return fmt::format("{} on {} ranks needs at least {} micro-batches to fill "
                       "its pipeline, got {}",
                       nameOf(family), shape.ranks, least, shape.microBatches);
  return {};
}

bool splitsBackward(ScheduleFamily family) {
  return traitsOf(family).splitsBackward;
}

std::optional<Schedule> makeSchedule(ScheduleFamily family,
                                     const PipelineShape &shape,
                                     std::string &error, double transferShare) {
  error = obstacle(family, shape);
  if (error.empty())
    error = tooLong(shape);
  if (!error.empty())
    return std::nullopt;
  Schedule schedule;
  schedule.stageCount = shape.stageCount();
  schedule.microBatchCount = shape.microBatches;
  for (int64_t rank = 0; rank < shape.ranks; ++rank) {
    switch (family) {
    case ScheduleFamily::Interleaved:
      schedule.ranks.push_back(interleavedOrder(shape, rank));
      break;
    case ScheduleFamily::ZeroBubbleV:
      schedule.ranks.push_back(zeroBubbleVOrder(shape, rank));
      break;
    case ScheduleFamily::DualPipeV:
      schedule.ranks.push_back(dualPipeVOrder(shape, rank));
      break;
    default:
      schedule.ranks.push_back(
          ruledOrder(family, shape, rank, std::clamp(transferShare, 0., 1.)));
    }
  }
  return schedule;
}

} // namespace shardsmith::schedule
