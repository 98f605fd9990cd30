// SPDX-License-Identifier: Apache-2.0
//
// The search of one variant. Layouts of the chain are bounded in groups, then
// one by one; those that may be fast enough are cut into stages, best bound
// first, and the limit falls with every strategy that is found.

#ifndef SHARDSMITH_LIB_PLAN_CONFIGURATIONS_VARIANTSEARCH_H
#define SHARDSMITH_LIB_PLAN_CONFIGURATIONS_VARIANTSEARCH_H

#include "../Bounds/VariantBounds.h"
#include "../Chains/CutLists.h"
#include "../Chains/LayoutList.h"
#include "Candidate.h"

#include <map>

namespace shardsmith::search {

/// The layouts to look at, with what the variants of a configuration have in
/// common: groups that exceed the limit under every schedule are dropped once.
class CandidateLayouts {
public:
  /// All layouts of the list, which must outlive this object.
  explicit CandidateLayouts(const LayoutList &list) : list(&list) {}
  /// Three layouts of the list: the fastest, the one that saves least, and the
  /// one with the fewest parameters.
  static CandidateLayouts fewOf(const LayoutList &list);

private:
  friend class VariantSearch;

  /// A group with the bottleneck bound of its ideal, on the device kind where
  /// that is least.
  struct Place {
    const LayoutGroup *group;
    Nanoseconds bottleneck;
  };

  const LayoutList *list;
  /// If present, only these layouts are looked at.
  std::optional<std::vector<std::shared_ptr<const ChainLayout>>> few;
  /// The parts of the group of all layouts; null until it is asked for.
  std::shared_ptr<const LayoutGroup::Parts> parts;
  /// The groups to look at, for ranks with one stage and for ranks with
  /// several.
  std::array<std::optional<std::vector<Place>>, 2> placesBy;
};

class VariantSearch {
public:
  /// All arguments must outlive this object. `most` is the limit of the step.
  /// Of two equally fast strategies the first one counts, so the limit falls
  /// just below each strategy that is found. With `isHeuristic` a layout is
  /// given up when its partitions are far above its bound. `playEffort` limits
  /// the effort of all variants to find stages by playing them
  /// (PlayedPartition.h).
  VariantSearch(const CostContext &context,
                const SearchConstraints &constraints, const Chain &chain,
                CutLists &cuts, VariantBounds &variants,
                const std::function<bool()> &mustStop, bool isHeuristic,
                int64_t playEffort, Nanoseconds &most, SearchCounts &counts)
      : context(context), constraints(constraints), chain(chain), cuts(cuts),
        variants(variants), mustStop(mustStop), isHeuristic(isHeuristic),
        playEffortLeft(playEffort), most(most), counts(counts) {}

  /// Searches a variant. Returns false if it had to stop, or if the effort is
  /// spent before the variant was searched.
  bool visit(const VariantBounds::OpenVariant &variant,
             CandidateLayouts &offer);
  /// Whether the effort per variant is bounded for these layouts, because the
  /// model has many blocks or the list has not all layouts.
  bool isBounded(const LayoutList &list) const {
    return context.workload.blocks.size() > manyBlocks || !list.isWhole();
  }
  /// Whether the effort of the last variant ended before all of its layouts
  /// that may be fast enough were looked at.
  bool isTruncated() const { return boundsLeft < 0 || partitionsLeft < 0; }
  /// Whether there is no effort left to play stages.
  bool isSpent() const { return playEffortLeft < 0; }
  /// The best strategy of all variants that were visited.
  std::optional<Candidate> take() { return std::move(best); }
  /// A lower bound on the strategies that were left out although they may be
  /// faster than the best one.
  Nanoseconds leastOfOthers() const { return leastLeft; }

private:
  /// A layout with the pools of the pipeline ranks, and the bound of both.
  struct Open {
    Nanoseconds bound;
    std::shared_ptr<const ChainLayout> layout;
    const std::vector<unsigned> *pools;

    /// Best bound first, then the fastest layout.
    bool isBefore(const Open &other) const;
  };

  /// The bounded effort of a variant: groups and layouts that are bounded, and
  /// layouts that are cut into stages. In a model whose blocks all differ
  /// thousands of layouts are nearly as fast as the best one.
  static constexpr int64_t boundsPerVariant = 1024, partitionsPerVariant = 16;
  static constexpr size_t manyBlocks = 8;

  bool isWithin(const Strategy &outer, Nanoseconds perMicroBatch) const;
  const std::vector<CandidateLayouts::Place> &
  placesOf(const Strategy &outer, CandidateLayouts &offer) const;
  class OpenLayouts;
  using LinksByPools =
      std::map<const std::vector<unsigned> *, const PipelineLinks>;

  /// Adds the layouts that are open on these pools. Returns false if it had to
  /// stop.
  bool visit(const std::vector<unsigned> &pools, CandidateLayouts &offer,
             OpenLayouts &open);
  /// Cuts the open layouts into stages, best bound first. Returns false if it
  /// had to stop, or if the effort is spent.
  bool cutAll(const VariantBounds::OpenVariant &variant, const LayoutList &list,
              std::vector<Open> open, LinksByPools &linksOf);
  void cut(const VariantBounds::OpenVariant &variant,
           const PipelineLinks &links, const LayoutList &list,
           const Open &each);

  const CostContext &context;
  const SearchConstraints &constraints;
  const Chain &chain;
  CutLists &cuts;
  VariantBounds &variants;
  const std::function<bool()> &mustStop;
  bool isHeuristic;
  int64_t playEffortLeft;
  Nanoseconds &most;
  SearchCounts &counts;
  std::optional<Candidate> best;
  /// What is left of the effort of the variant.
  int64_t boundsLeft = 0, partitionsLeft = 0;
  Nanoseconds leastLeft = Nanoseconds::saturated();
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CONFIGURATIONS_VARIANTSEARCH_H
