// SPDX-License-Identifier: Apache-2.0

#include "PassOrder.h"

#include "Dependencies.h"

#include <deque>

namespace shardsmith::schedule {

PassOrder orderOf(const Schedule &schedule) {
  PassOrder order;
  for (const std::vector<Step> &steps : schedule.ranks) {
    std::vector<Pass> &passes = order.emplace_back();
    for (const Step &step : steps) {
      passes.push_back({step.action.kind, step.action.stage});
      if (step.partner)
        passes.back().backwardStage = step.partner->stage;
    }
  }
  return order;
}

Schedule scheduleOf(const PassOrder &order, int64_t stages,
                    int64_t microBatches) {
  struct StageCounts {
    int64_t forward = 0, backward = 0;
    /// Micro-batches whose I has run, and W has not.
    std::deque<int64_t> pending;
  };
  Schedule schedule;
  schedule.stageCount = stages;
  schedule.microBatchCount = microBatches;
  std::vector<StageCounts> counts(static_cast<size_t>(stages));
  for (const std::vector<Pass> &passes : order) {
    std::vector<Step> &steps = schedule.ranks.emplace_back();
    for (const Pass &pass : passes) {
      StageCounts &count = counts[size_t(pass.stage)];
      Action action{pass.kind, pass.stage, 0};
      if (pass.kind == ActionKind::Forward) {
        action.microBatch = count.forward++;
      } else if (pass.kind == ActionKind::BackwardWeight) {
        action.microBatch = count.pending.front();
        count.pending.pop_front();
      } else {
        action.microBatch = count.backward++;
        if (pass.kind == ActionKind::BackwardInput)
          count.pending.push_back(action.microBatch);
      }
      bool completes = pass.kind == ActionKind::BackwardWeight &&
                       pass.stage == 0 &&
                       steps.back().action == Action{ActionKind::BackwardInput,
                                                     0, action.microBatch};
      if (completes) {
        steps.back().action.kind = ActionKind::Backward;
        continue;
      }
      Step step{action, {}};
      if (pass.backwardStage)
        step.partner = {ActionKind::Backward, *pass.backwardStage,
                        counts[size_t(*pass.backwardStage)].backward++};
      steps.push_back(step);
    }
  }
  return schedule;
}

PassOrder withSplitBackward(const PassOrder &order) {
  PassOrder split;
  for (const std::vector<Pass> &passes : order) {
    std::vector<Pass> &parts = split.emplace_back();
    for (const Pass &pass : passes) {
      if (pass.kind != ActionKind::Backward)
        parts.push_back({pass.kind, pass.stage});
      std::optional<int64_t> whole = pass.backwardStage;
      if (pass.kind == ActionKind::Backward)
        whole = pass.stage;
      if (!whole)
        continue;
      parts.push_back({ActionKind::BackwardInput, *whole});
      parts.push_back({ActionKind::BackwardWeight, *whole});
    }
  }
  return split;
}

} // namespace shardsmith::schedule
