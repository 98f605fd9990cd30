// SPDX-License-Identifier: Apache-2.0
//
// The layouts of a variant: bounded in groups, then one by one; those that may
// be fast enough are cut into stages, best bound first.

#ifndef SHARDSMITH_LIB_PLAN_CONFIGURATIONS_VARIANTSEARCH_H
#define SHARDSMITH_LIB_PLAN_CONFIGURATIONS_VARIANTSEARCH_H

#include "../Bounds/VariantBounds.h"
#include "../Chains/CutLists.h"
#include "../Chains/LayoutList.h"
#include "Candidate.h"

#include <map>

namespace shardsmith::search {

/// Layouts that the variants of a configuration have in common.
class CandidateLayouts {
public:
  /// All of the list, which must outlive this.
  explicit CandidateLayouts(const LayoutList &list) : list(&list) {}
  /// The fastest one, the one that saves least, and the one with the fewest
  /// parameters.
  static CandidateLayouts fewOf(const LayoutList &list);

private:
  friend class VariantSearch;

  /// A group, and the least time per micro-batch of the busiest rank on the
  /// kind of device where that is least.
  struct Place {
    const LayoutGroup *group;
    Nanoseconds bottleneck;
  };

  const LayoutList *list;
  /// These alone, if they are few.
  std::optional<std::vector<std::shared_ptr<const ChainLayout>>> few;
  /// Of the list's largest group; null until it is asked for.
  std::shared_ptr<const LayoutGroup::Parts> parts;
  /// Groups to look at, by whether ranks have several stages.
  std::array<std::optional<std::vector<Place>>, 2> placesBy;
};

class VariantSearch {
public:
  /// All must outlive this. `most`: that a step may take; of two equally fast
  /// strategies the first one counts, so it falls below each that is found. A
  /// primal heuristic leaves what is far above its bound.
  VariantSearch(const CostContext &context,
                const SearchConstraints &constraints, const Chain &chain,
                CutLists &cuts, VariantBounds &variants,
                const std::function<bool()> &mustStop, bool isHeuristic,
                Nanoseconds &most, SearchCounts &counts)
      : context(context), constraints(constraints), chain(chain), cuts(cuts),
        variants(variants), mustStop(mustStop), isHeuristic(isHeuristic),
        most(most), counts(counts) {}

  /// False if it had to stop.
  bool visit(const VariantBounds::OpenVariant &variant,
             CandidateLayouts &offer);
  /// Whether variants with these layouts are looked at only so far: blocks are
  /// many, or some too large for all their layouts.
  bool isBounded(const LayoutList &list) const {
    return context.workload.blocks.size() > manyBlocks || !list.isWhole();
  }
  /// Whether the variant that was visited last has layouts that may be fast
  /// enough but were not looked at.
  bool isTruncated() const { return boundsLeft < 0 || partitionsLeft < 0; }
  /// The best strategy of all variants.
  std::optional<Candidate> take() { return std::move(best); }
  /// No strategy that was left out, although its step may be below that of the
  /// best one, takes less.
  Nanoseconds leastOfOthers() const { return leastLeft; }

private:
  /// A layout, the pools of the pipeline's ranks, and their bound.
  struct Open {
    Nanoseconds bound;
    std::shared_ptr<const ChainLayout> layout;
    const std::vector<unsigned> *pools;

    /// Best bound first, then the fastest layout.
    bool isBefore(const Open &other) const;
  };

  /// Groups and layouts that are bounded for a variant, and layouts that are
  /// cut into stages. Where no block is like another, thousands are as fast as
  /// the best one but for the noise of the last kernel.
  static constexpr int64_t boundsPerVariant = 1024, partitionsPerVariant = 16;
  static constexpr size_t manyBlocks = 8;

  bool isWithin(const Strategy &outer, Nanoseconds perMicroBatch) const;
  const std::vector<CandidateLayouts::Place> &
  placesOf(const Strategy &outer, CandidateLayouts &offer) const;
  class OpenLayouts;
  using LinksByPools =
      std::map<const std::vector<unsigned> *, const PipelineLinks>;

  /// What an offer has, with these pools. False if it had to stop.
  bool visit(const std::vector<unsigned> &pools, CandidateLayouts &offer,
             OpenLayouts &open);
  /// False if it had to stop.
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
  Nanoseconds &most;
  SearchCounts &counts;
  std::optional<Candidate> best;
  /// That are left for the variant.
  int64_t boundsLeft = 0, partitionsLeft = 0;
  Nanoseconds leastLeft = Nanoseconds::saturated();
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CONFIGURATIONS_VARIANTSEARCH_H
