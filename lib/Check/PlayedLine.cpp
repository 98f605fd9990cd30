// SPDX-License-Identifier: Apache-2.0

#include "PlayedLine.h"

#include "Rounding.h"
#include "shardsmith/Schedule/PlayedPeriod.h"

#include <algorithm>

namespace shardsmith::check {
namespace {

using schedule::PipelineShape;
using schedule::StageDurations;

/// Passes of more than this are simulated for seconds.
constexpr int64_t mostPasses = int64_t(1) << 17;

std::vector<StageDurations> durationsOf(const StackProfile &profile,
                                        const RankCosts &costs,
                                        std::span<const RankWork> stages,
                                        std::span<const Nanoseconds> joint,
                                        int64_t microBatches) {
  std::vector<StageDurations> all;
  for (const RankWork &stage : stages) {
    RankWork alone = stage;
    alone.sends.clear();
    RankTimes own = costs.timesOf(alone, microBatches);
    StageDurations each;
    each.forward = stage.forward;
    each.backwardInput = stage.backwardInput;
    each.backwardWeight = stage.backwardWeight;
    each.recompute = stage.recompute;
    Nanoseconds first(own.gathers.count() / 2);
    each.forwardCommunication = stage.forwardExposed + first;
    each.backwardCommunication = stage.backwardExposed + own.gathers - first;
    each.reduce = own.data;
    each.update = own.optimizer + joint[all.size()];
    if (!all.empty())
      each.sendBackward = all.back().sendForward;
    for (const RankWork::Send &send : stage.sends)
      each.sendForward = times(costs.message(send), profile.pipelineExposure);
    all.push_back(each);
  }
  return all;
}

} // namespace

PlayedLine playLine(const Strategy &strategy, const StackProfile &profile,
                    const RankCosts &costs, std::span<const RankWork> stages,
                    std::span<const Nanoseconds> joint, int64_t microBatches) {
  PlayedLine played;
  PipelineShape shape{strategy.pipeline, strategy.virtualStages, microBatches};
  if (shape.stageCount() == 1 ||
      !schedule::obstacle(strategy.schedule, shape).empty())
    return played;
  std::vector<StageDurations> durations =
      durationsOf(profile, costs, stages, joint, microBatches);
  double slowdown = std::max(profile.overlapSlowdown, 1.0);
  Nanoseconds walked =
      schedule::playedPeriod(strategy.schedule, shape, durations, slowdown);
  if (!walked.isSaturated())
    played.walked = walked;
  if (microBatches > mostPasses / shape.stageCount())
    return played;
  std::string error;
  auto order = schedule::makeSchedule(strategy.schedule, shape, error);
  if (!order)
    return played;
  schedule::CommunicationOptions options;
  options.reduceGradients = options.update = true;
  if (auto simulation =
          schedule::simulate(schedule::addCommunication(*order, options),
                             durations, error, {slowdown}))
    played.simulated = simulation->period();
  return played;
}

} // namespace shardsmith::check
