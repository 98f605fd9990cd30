// SPDX-License-Identifier: Apache-2.0

#include "MemoryRelevance.h"

namespace shardsmith::search {

bool isMemoryIrrelevant(const CostContext &context,
                        const SearchConstraints &constraints,
                        const ParallelConfiguration &degrees,
                        const Strategy &outer, const StageWork &most) {
  Strategy each = outer;
  each.zeroStage = 0;
  StepModel whole(context, each);
  // ZeRO 0 holds most between uses, and ZeRO 3 needs most while a unit runs. A
  // rank with room for both together has room under every stage.
  Strategy gathered = each;
  gathered.zeroStage = 3;
  Bytes running =
      StepModel(whole, gathered)
          .workspaceBytes(most.transient, most.largestUnitParameters) -
      most.transient;
  for (ScheduleChoice choice :
       scheduleChoices(context.workload, degrees, constraints)) {
    each.schedule = choice.family;
    each.virtualStages = choice.virtualStages;
    StepModel model(whole, each);
    for (unsigned pool = 0; pool < context.topology.pools().size(); ++pool)
      for (int64_t rank = 0; rank < each.pipeline; ++rank)
        if (model.memory(rank, pool, most).memory.total() + running >
            model.memoryLimit(pool))
          return false;
  }
  return true;
}

} // namespace shardsmith::search
