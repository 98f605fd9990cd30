// SPDX-License-Identifier: Apache-2.0
//
// The best strategy of one combination of degrees: device orders, context
// methods, layouts, ZeRO, schedules, stages.

#ifndef SHARDSMITH_LIB_PLAN_CLASSES_CLASSSEARCH_H
#define SHARDSMITH_LIB_PLAN_CLASSES_CLASSSEARCH_H

#include "../Bounds/ClassBounds.h"
#include "../Bounds/EmptyRanks.h"
#include "../Chains/ChainLayouts.h"
#include "Candidate.h"
#include "IdleLayouts.h"

#include "shardsmith/Plan/Support/SearchCounts.h"

#include <functional>

namespace shardsmith::search {

struct ClassResult {
  std::optional<Candidate> best;
  /// Stopped before it was through.
  bool isPartial = false;
  /// No strategy that was left out, because there are too many layouts, is
  /// faster.
  Nanoseconds leastLeft = Nanoseconds::saturated();
  /// Layouts were looked at only so far, so the effort counts.
  bool isLimited = false;
  /// Of candidates; the counts of classes are the caller's.
  SearchCounts counts;
};

class ClassSearch {
public:
  /// The first two must outlive this. `classes`: all that may be asked for.
  /// `mustStop` is asked between device orders and between candidates.
  ClassSearch(const CostContext &context, const SearchConstraints &constraints,
              const std::vector<DegreeClass> &classes, unsigned threads,
              std::function<bool()> mustStop);

  /// Steps that no strategy of the class is faster than; saturated if the class
  /// cannot run.
  ClassBounds &bounds() { return classBounds; }
  /// Classes of different shares have little in common that takes time.
  size_t shareOf(const DegreeClass &degrees) const {
    return floors.shareOf(degrees);
  }
  /// Better ones, which take longer to find out: by schedules and ZeRO stages
  /// with layouts that have the least of everything, on links that are as good
  /// as those of any device order, and under the device orders there are.
  /// Saturated if above `atMost`. Where devices differ, the first one knows
  /// nothing.
  Nanoseconds anyOrderBound(const DegreeClass &degrees, Nanoseconds atMost);
  Nanoseconds rowBound(const DegreeClass &degrees, Nanoseconds atMost);
  /// By the fastest layout of each block alone.
  Nanoseconds unitBound(const DegreeClass &degrees);
  /// All that are allowed, or 1F1B alone, if that is.
  enum class Schedules { All, Plain };
  /// The best strategy, if its step is at most `atMost`. Layouts that only
  /// zero-bubble schedules gain from are looked at for steps up to `best`.
  ClassResult run(const DegreeClass &degrees, Nanoseconds atMost,
                  Nanoseconds best, Schedules schedules = Schedules::All);
  /// A good one, if there is one, after a look at few.
  ClassResult scout(const DegreeClass &degrees, Nanoseconds atMost,
                    Nanoseconds best);

  /// Block tables made.
  int64_t tableCount() const { return layouts.tableCount(); }

private:
  class Run;

  const PoolFloors &floorInAnyOrder(const Strategy &outer);

  const CostContext &context;
  const SearchConstraints &constraints;
  std::function<bool()> mustStop;
  Chain units;
  CutLists cuts;
  Placements placements;
  UnitModels models;
  UnitFloors floors;
  ClassBounds classBounds;
  ChainLayouts layouts;
  IdleLayouts idleLayouts;
  EmptyRanksTable emptyRanks;
  /// On links as good as any, by micro-batch, tensor, context and expert
  /// degree, and context method.
  MadeOnceByNumbers<5, std::unique_ptr<PoolFloors>> knownFloors;
  /// Of the workload, those with most units first.
  std::vector<size_t> blocksByUnits;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CLASSES_CLASSSEARCH_H
