// SPDX-License-Identifier: Apache-2.0
//
// The best strategy of one combination of degrees: device orders, context
// methods, layouts, ZeRO, schedules, stages.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_CLASSSEARCH_H
#define SHARDSMITH_LIB_PLAN_SEARCH_CLASSSEARCH_H

#include "ChainLayouts.h"
#include "ClassBounds.h"
#include "EmptyRanks.h"

#include "shardsmith/Plan/Search.h"

#include <functional>

namespace shardsmith::search {

/// A complete strategy and the step that the search computed for it.
struct Candidate {
  Strategy strategy;
  Nanoseconds step;
};

struct ClassResult {
  std::optional<Candidate> best;
  /// Stopped before it was through.
  bool isPartial = false;
  /// Of candidates; the counts of classes are the caller's.
  SearchCounts counts;
};

class ClassSearch {
public:
  /// All must outlive this. `mustStop` is asked between
  /// device orders and between candidates.
  ClassSearch(const CostContext &context, const SearchConstraints &constraints,
              std::function<bool()> mustStop);

  /// Steps that no strategy of the class is faster than; saturated if the class
  /// cannot run.
  ClassBounds &bounds() { return classBounds; }
  /// Better ones, which take longer to find out: by the fastest layouts under
  /// the device orders there are, and by schedules and ZeRO stages with layouts
  /// that have the least of everything. Saturated if above `atMost`.
  Nanoseconds layoutBound(const DegreeClass &degrees, Nanoseconds atMost);
  Nanoseconds rowBound(const DegreeClass &degrees, Nanoseconds atMost);
  /// The best strategy, if its step is at most `atMost`.
  ClassResult run(const DegreeClass &degrees, Nanoseconds atMost);
  /// A good one, if there is one, after a look at few.
  ClassResult scout(const DegreeClass &degrees, Nanoseconds atMost);

  /// Block tables made.
  int64_t tableCount() const { return layouts.tableCount(); }

private:
  class Run;

  const CostContext &context;
  const SearchConstraints &constraints;
  std::function<bool()> mustStop;
  Chain units;
  Placements placements;
  UnitModels models;
  UnitFloors floors;
  ClassBounds classBounds;
  ChainLayouts layouts;
  EmptyRanksTable emptyRanks;
  /// Of the workload, those with most units first.
  std::vector<size_t> blocksByUnits;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_CLASSSEARCH_H
