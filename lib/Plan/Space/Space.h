// SPDX-License-Identifier: Apache-2.0
//
// Which combinations of degrees the search considers. Small clusters are
// covered completely; on larger ones degrees follow the cluster's structure.
// docs/planner.md states the rules; a degree that the user fixes is always
// among them.

#ifndef SHARDSMITH_LIB_PLAN_SPACE_SPACE_H
#define SHARDSMITH_LIB_PLAN_SPACE_SPACE_H

#include "shardsmith/Cost/Step/StepEstimate.h"
#include "shardsmith/Plan/Space/SearchConstraints.h"

namespace shardsmith::search {

/// Up to so many devices every number is a degree.
inline constexpr int64_t completeUpTo = 64;
/// Up to so many sequences per data rank every number is a micro-batch size.
inline constexpr int64_t everySizeUpTo = 8;

/// Data ranks on one of several kinds of device (MicroBatchBalancing.h), and
/// how many micro-batches of a step each of them takes.
struct KindRestriction {
  unsigned pool = 0;
  int64_t microBatches = 1;
  /// Of all data ranks, how many lie on each pool.
  std::vector<int64_t> ranksOnPools;

  auto operator<=>(const KindRestriction &) const = default;
};

struct ParallelConfiguration {
  int64_t tensor = 1, context = 1, data = 1, pipeline = 1, expert = 1;
  int64_t microBatch = 1;
  /// As if all data ranks were like those, and had as little memory as the
  /// smallest device of any data rank.
  std::optional<KindRestriction> kind;

  int64_t ranks() const { return tensor * context * data * pipeline; }
  int64_t microBatchCount(int64_t globalBatch) const {
    return kind ? kind->microBatches
                : Strategy::evenMicroBatchCount(globalBatch, data, microBatch);
  }
  /// A strategy of the configuration; the rest is left at its defaults.
  Strategy strategy() const;
  auto operator<=>(const ParallelConfiguration &) const = default;
};

/// In a fixed order.
std::vector<ParallelConfiguration>
parallelConfigurations(const CostContext &context,
                       const SearchConstraints &constraints);

/// A schedule family with its number of stages per rank.
struct ScheduleChoice {
  ScheduleFamily family = ScheduleFamily::OneForwardOneBackward;
  int64_t virtualStages = 1;
};
/// Those worth pricing: families that another one beats whatever the model are
/// left out if that one is allowed.
std::vector<ScheduleChoice>
scheduleChoices(const workload::Workload &workload,
                const ParallelConfiguration &degrees,
                const SearchConstraints &constraints);
/// Whether the family can run so many micro-batches.
bool canRun(ScheduleFamily family, int64_t pipeline, int64_t microBatches);

struct ZeroChoice {
  int stage = 0;
  /// As in `Strategy`.
  int64_t group = 0;
};
/// `replicas`: the path of all data × context ranks.
std::vector<ZeroChoice> zeroChoices(const ParallelConfiguration &degrees,
                                    const GroupPath &replicas,
                                    const SearchConstraints &constraints);

/// Without a context axis there is nothing to choose.
std::vector<ContextMethod> contextMethods(const ParallelConfiguration &degrees,
                                          const SearchConstraints &constraints);

/// All device orders the constraints allow; axes of one rank come last.
std::vector<std::vector<PlanAxis>>
axisOrders(const ParallelConfiguration &degrees,
           const SearchConstraints &constraints);

/// Those that differ in some path, the usual one first.
std::vector<std::vector<PlanAxis>>
deviceOrders(const ClusterTopology &topology,
             const ParallelConfiguration &degrees,
             const SearchConstraints &constraints);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SPACE_SPACE_H
