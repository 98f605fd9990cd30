// SPDX-License-Identifier: Apache-2.0
//
// The best strategy of one parallel configuration, over its device orders,
// context methods, ZeRO stages, schedules, layouts, stages and recomputation.
// Bounds come from cheap to close, and each excludes what the next one need not
// look at:
//
//     bounds().ofOps     ops alone                    every configuration
//     relaxedBound       ideal layouts, relaxed paths
//     variantBound       ideal layouts, real paths
//     run                real layouts and stages      few configurations

#ifndef SHARDSMITH_LIB_PLAN_CONFIGURATIONS_CONFIGURATIONSEARCH_H
#define SHARDSMITH_LIB_PLAN_CONFIGURATIONS_CONFIGURATIONSEARCH_H

#include "../Bounds/ActivationBudgets.h"
#include "../Bounds/ConfigurationBounds.h"
#include "../Bounds/VariantBounds.h"
#include "../Chains/ChainLayouts.h"
#include "Candidate.h"
#include "IdleLayouts.h"

#include "shardsmith/Plan/Support/SearchCounts.h"

#include <functional>
#include <limits>

namespace shardsmith::search {

/// The layouts of a configuration that are looked at: those of the block
/// tables, the further ones that only zero-bubble schedules or waiting ranks
/// gain from (IdleLayouts.h), or both.
enum class LayoutScope { All, Tables, Further };

/// What the search of one configuration found and left out.
struct ConfigurationResult {
  std::optional<Candidate> best;
  /// Whether the search of the configuration was stopped before its end.
  bool isPartial = false;
  /// The layouts that are still to be looked at, if there are any: the further
  /// ones, or all if the effort was spent before the end. `leastLeft` leaves
  /// them out.
  std::optional<LayoutScope> postponed;
  /// A lower bound on the strategies that were left out because there are too
  /// many layouts.
  Nanoseconds leastLeft = Nanoseconds::saturated();
  /// Whether some layouts were not looked at because there are too many; the
  /// search then counts its effort.
  bool isLimited = false;
  /// Comparisons of further layouts (IdleLayouts.h).
  int64_t comparisons = 0;
  /// Counts of candidates and partitions; the caller counts configurations.
  SearchCounts counts;
};

class ConfigurationSearch {
public:
  /// The first two arguments must outlive this object. `configurations` are all
  /// that it may be asked for. `mustStop` is called between device orders and
  /// between candidates.
  ConfigurationSearch(const CostContext &context,
                      const SearchConstraints &constraints,
                      const std::vector<ParallelConfiguration> &configurations,
                      unsigned threads, std::function<bool()> mustStop);

  /// Lower bounds on the step of every strategy of a configuration; saturated
  /// if it cannot run.
  ConfigurationBounds &bounds() { return configurationBounds; }
  /// Configurations of different shares have no expensive bounds in common, so
  /// different threads may bound them.
  size_t shareOf(const ParallelConfiguration &degrees) const {
    return unitBounds.shareOf(degrees);
  }
  /// Closer bounds over all schedules and ZeRO stages, with ideal layouts:
  /// `relaxedBound` on relaxed paths, `variantBound` on the paths of each
  /// device order. They are saturated if above `atMost`. Where devices differ,
  /// `relaxedBound` is 0.
  Nanoseconds relaxedBound(const ParallelConfiguration &degrees,
                           Nanoseconds atMost);
  Nanoseconds variantBound(const ParallelConfiguration &degrees,
                           Nanoseconds atMost);
  /// Calls `visit` for the variants of all device orders that `variantBound`
  /// takes the least bound of.
  void eachVariant(
      const ParallelConfiguration &degrees, Nanoseconds atMost,
      const std::function<void(const VariantBounds::OpenVariant &)> &visit);
  /// A bound by the fastest layout of each block alone.
  Nanoseconds unitBound(const ParallelConfiguration &degrees);
  /// The schedules to search: all that are allowed, or 1F1B alone if it is
  /// allowed.
  enum class Schedules { All, Plain };
  struct Scope {
    Schedules schedules = Schedules::All;
    LayoutScope layouts = LayoutScope::All;
    /// Limits the effort to play stages (PlayedPartition.h).
    int64_t playEffort = std::numeric_limits<int64_t>::max();
  };
  /// The best strategy, if its step is at most `atMost`. Layouts that only
  /// zero-bubble schedules or waiting ranks gain from are looked at for steps
  /// up to `best`, the incumbent.
  ConfigurationResult run(const ParallelConfiguration &degrees,
                          Nanoseconds atMost, Nanoseconds best,
                          const Scope &scope);
  /// The primal heuristic: a good strategy, if it finds one, from the usual
  /// device order, few variants and few layouts.
  ConfigurationResult heuristic(const ParallelConfiguration &degrees,
                                Nanoseconds atMost, Nanoseconds best);

  /// The number of block tables that were made.
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
  /// Ideals on relaxed paths. The key is micro-batch, tensor, context and
  /// expert degree, and context method.
  MemoTableByNumbers<5, std::unique_ptr<PoolIdeals>> knownIdeals;
  /// The blocks of the workload, those with most units first.
  std::vector<size_t> blocksByUnits;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CONFIGURATIONS_CONFIGURATIONSEARCH_H
