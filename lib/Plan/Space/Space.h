// SPDX-License-Identifier: Apache-2.0
//
// The space of the search: its parallel configurations, and for each of them
// the choices that make its variants. Small clusters are covered completely; on
// larger ones degrees follow the structure of the cluster. docs/planner.md
// states the rules. A degree that the user fixes is always in the space.

#ifndef SHARDSMITH_LIB_PLAN_SPACE_SPACE_H
#define SHARDSMITH_LIB_PLAN_SPACE_SPACE_H

#include "shardsmith/Cost/Step/StepEstimate.h"
#include "shardsmith/Plan/Space/SearchConstraints.h"

#include <array>

namespace shardsmith::search {

/// On clusters of at most so many devices every number is a degree.
inline constexpr int64_t completeUpTo = 64;
/// If a data rank has at most so many sequences, every number up to that is a
/// micro-batch size.
inline constexpr int64_t everySizeUpTo = 8;

/// Restricts a configuration to the replicas that lie on one of several device
/// kinds (MixedDataSearch.h), which all take the same number of micro-batches
/// of a step.
struct KindRestriction {
  unsigned pool = 0;
  int64_t microBatches = 1;
  /// How many of all replicas of the plan lie on each pool, this kind and the
  /// others.
  std::vector<int64_t> ranksOnPools;

  auto operator<=>(const KindRestriction &) const = default;
};

/// A combination of degrees and a micro-batch size: what the search branches
/// over.
/// Stages per rank and the context method are chosen within it: here they have
/// their defaults.
struct ParallelConfiguration : Degrees {
  int64_t microBatch = 1;
  /// If present, the configuration is priced as if all replicas lay on that
  /// kind, with the memory of the smallest device that any replica of the plan
  /// lies on. No plan of the unrestricted configuration is faster on the ranks
  /// of that kind.
  std::optional<KindRestriction> kind;

  int64_t ranks() const { return rankCount(); }
  int64_t microBatchCount(int64_t globalBatch) const {
    return kind ? kind->microBatches
                : Strategy::evenMicroBatchCount(globalBatch, data, microBatch);
  }
  /// The configuration that a strategy belongs to, without a restriction.
  static ParallelConfiguration of(const Strategy &strategy);
  /// A strategy with the degrees and the micro-batch of this configuration; its
  /// other members have their defaults.
  Strategy strategy() const;
  auto operator<=>(const ParallelConfiguration &) const = default;
};

/// All that a unit sees of the degrees, the micro-batch and the methods.
inline std::array<int64_t, 5> unitKey(int64_t microBatch,
                                      const UnitDegrees &unit) {
  auto [tensor, positions, expert, method] = unit.numbers();
  return {microBatch, tensor, positions, expert, method};
}

/// How many parts the model allows the axes to make of it.
struct ModelLimits {
  /// The largest degrees; that of the expert axis has a rule of its own.
  PerDegree<int64_t> most;
  /// Divides the number of experts of every layer; 0 without experts.
  int64_t experts = 0;
  /// The numbers of tensor ranks that have equally many heads of every
  /// attention divide it; 0 without attention.
  int64_t heads = 0;

  explicit ModelLimits(const workload::Workload &workload);
};

/// All configurations of the space, in an order that is the same on every
/// machine.
std::vector<ParallelConfiguration>
parallelConfigurations(const CostContext &context,
                       const SearchConstraints &constraints);

/// A schedule family with its number of stages per rank.
struct ScheduleChoice {
  ScheduleFamily family = ScheduleFamily::OneForwardOneBackward;
  int64_t virtualStages = 1;
};
/// Why a schedule is not in the space of a configuration.
enum class ScheduleRefusal {
  /// The constraints do not allow the family, or not so many stages per rank.
  Forbidden,
  /// The family has another number of stages per rank.
  OtherStages,
  /// There are more stages than units.
  TooFewUnits,
  /// Micro-batches do not fill the rounds of the family, as they must.
  UnevenRounds,
  TooFewMicroBatches,
};
/// Nothing if the schedule is in the space of a configuration with a pipeline.
/// On one rank a single family stands for all.
std::optional<ScheduleRefusal> whyNot(const ScheduleChoice &choice,
                                      const workload::Workload &workload,
                                      const ParallelConfiguration &degrees,
                                      const SearchConstraints &constraints);
/// The schedules that are worth pricing. A family that another allowed family
/// beats for every model is left out.
std::vector<ScheduleChoice>
scheduleChoices(const workload::Workload &workload,
                const ParallelConfiguration &degrees,
                const SearchConstraints &constraints);
/// Whether a schedule of the family exists for so many micro-batches on so many
/// pipeline ranks.
bool canRun(ScheduleFamily family, int64_t pipeline, int64_t microBatches);

/// A ZeRO stage, and over how many ranks it spreads a copy of the model.
struct ZeroChoice {
  int stage = 0;
  /// The number of ranks that share one copy, as in `Strategy::zeroGroup`.
  int64_t group = 0;
};
/// The ZeRO stages with their groups. `replicas` is the path of all data ×
/// context ranks; a group is all of them, or those of one of its levels.
std::vector<ZeroChoice> zeroChoices(const ParallelConfiguration &degrees,
                                    const GroupPath &replicas,
                                    const SearchConstraints &constraints);

/// `outer` with each method that its axes may exchange by: a single one if no
/// axis has a choice.
std::vector<Strategy> withMethods(const Strategy &outer,
                                  const ParallelConfiguration &degrees,
                                  const SearchConstraints &constraints);

/// The name of the method by which an axis of the unit exchanges; empty if no
/// axis has a choice.
std::string_view methodOf(const UnitDegrees &unit);

/// All device orders that the constraints allow. Axes of one rank come last, so
/// that they make no further orders.
std::vector<std::vector<PlanAxis>>
axisOrders(const ParallelConfiguration &degrees,
           const SearchConstraints &constraints);

/// One of the device orders above for each distinct set of paths, the usual
/// order (tensor innermost, pipeline outermost) first.
std::vector<std::vector<PlanAxis>>
deviceOrders(const ClusterTopology &topology,
             const ParallelConfiguration &degrees,
             const SearchConstraints &constraints);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SPACE_SPACE_H
