// SPDX-License-Identifier: Apache-2.0
//
// The best strategy of one combination of degrees: device orders, context
// methods, layouts, ZeRO, schedules, stages.

#ifndef SHARDSMITH_LIB_PLAN_CONFIGURATIONS_CONFIGURATIONSEARCH_H
#define SHARDSMITH_LIB_PLAN_CONFIGURATIONS_CONFIGURATIONSEARCH_H

#include "../Bounds/ActivationBudgets.h"
#include "../Bounds/ConfigurationBounds.h"
#include "../Chains/ChainLayouts.h"
#include "Candidate.h"
#include "IdleLayouts.h"

#include "shardsmith/Plan/Support/SearchCounts.h"

#include <functional>

namespace shardsmith::search {

struct ConfigurationResult {
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

class ConfigurationSearch {
public:
  /// The first two must outlive this. `configurations`: all that may be asked
  /// for. `mustStop` is asked between device orders and between candidates.
  ConfigurationSearch(const CostContext &context,
                      const SearchConstraints &constraints,
                      const std::vector<ParallelConfiguration> &configurations,
                      unsigned threads, std::function<bool()> mustStop);

  /// Steps that no strategy of the configuration is faster than; saturated if
  /// the configuration cannot run.
  ConfigurationBounds &bounds() { return configurationBounds; }
  /// Classes of different shares have little in common that takes time.
  size_t shareOf(const ParallelConfiguration &degrees) const {
    return unitBounds.shareOf(degrees);
  }
  /// Better ones, which take longer to find out: by schedules and ZeRO stages
  /// with layouts that have the least of everything, on links that are as good
  /// as those of any device order, and under the device orders there are.
  /// Saturated if above `atMost`. Where devices differ, the first one knows
  /// nothing.
  Nanoseconds relaxedBound(const ParallelConfiguration &degrees,
                           Nanoseconds atMost);
  Nanoseconds variantBound(const ParallelConfiguration &degrees,
                           Nanoseconds atMost);
  /// By the fastest layout of each block alone.
  Nanoseconds unitBound(const ParallelConfiguration &degrees);
  /// All that are allowed, or 1F1B alone, if that is.
  enum class Schedules { All, Plain };
  /// The best strategy, if its step is at most `atMost`. Layouts that only
  /// zero-bubble schedules gain from are looked at for steps up to `best`.
  ConfigurationResult run(const ParallelConfiguration &degrees,
                          Nanoseconds atMost, Nanoseconds best,
                          Schedules schedules = Schedules::All);
  /// A good one, if there is one, after a look at few.
  ConfigurationResult heuristic(const ParallelConfiguration &degrees,
                                Nanoseconds atMost, Nanoseconds best);

  /// Block tables made.
  int64_t tableCount() const { return layouts.tableCount(); }

private:
  class Run;

  const PoolIdeals &relaxedIdeals(const Strategy &outer);

  const CostContext &context;
  const SearchConstraints &constraints;
  std::function<bool()> mustStop;
  Chain units;
  CutLists cuts;
  Placements placements;
  UnitModels models;
  UnitBounds unitBounds;
  ConfigurationBounds configurationBounds;
  ChainLayouts layouts;
  IdleLayouts idleLayouts;
  ActivationBudgetTable activationBudgets;
  /// On links as good as any, by micro-batch, tensor, context and expert
  /// degree, and context method.
  MemoTableByNumbers<5, std::unique_ptr<PoolIdeals>> knownIdeals;
  /// Of the workload, those with most units first.
  std::vector<size_t> blocksByUnits;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CONFIGURATIONS_CONFIGURATIONSEARCH_H
