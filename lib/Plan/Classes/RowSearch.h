// SPDX-License-Identifier: Apache-2.0
//
// The layouts of a row: bounded in groups, then one by one; those that may be
// fast enough are cut into stages, best bound first.

#ifndef SHARDSMITH_LIB_PLAN_CLASSES_ROWSEARCH_H
#define SHARDSMITH_LIB_PLAN_CLASSES_ROWSEARCH_H

#include "../Bounds/RowBounds.h"
#include "../Chains/CutLists.h"
#include "../Chains/LayoutList.h"
#include "Candidate.h"

#include <map>

namespace shardsmith::search {

/// Layouts that the rows of a class have in common.
class LayoutOffer {
public:
  /// All of the list, which must outlive this.
  explicit LayoutOffer(const LayoutList &list) : list(&list) {}
  /// The fastest one, the one that saves least, and the one with the fewest
  /// parameters.
  static LayoutOffer fewOf(const LayoutList &list);

private:
  friend class RowSearch;

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

class RowSearch {
public:
  /// All must outlive this. `most`: that a step may take; of two equally fast
  /// strategies the first one counts, so it falls below each that is found. A
  /// scout leaves what is far above its bound.
  RowSearch(const CostContext &context, const SearchConstraints &constraints,
            const Chain &chain, CutLists &cuts, RowBounds &rows,
            const std::function<bool()> &mustStop, bool isScout,
            Nanoseconds &most, SearchCounts &counts)
      : context(context), constraints(constraints), chain(chain), cuts(cuts),
        rows(rows), mustStop(mustStop), isScout(isScout), most(most),
        counts(counts) {}

  /// False if it had to stop.
  bool visit(const RowBounds::OpenRow &row, LayoutOffer &offer);
  /// Whether rows with these layouts are looked at only so far: blocks are
  /// many, or some too large for all their layouts.
  bool looksAtFew(const LayoutList &list) const {
    return context.workload.blocks.size() > manyBlocks || !list.isWhole();
  }
  /// Whether the row that was visited last has layouts that may be fast enough
  /// but were not looked at.
  bool hasLeftSome() const { return looks < 0 || partitions < 0; }
  /// The best strategy of all rows.
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

  /// Groups and layouts that are bounded for a row, and layouts that are cut
  /// into stages. Where no block is like another, thousands are as fast as the
  /// best one but for the noise of the last kernel.
  static constexpr int64_t looksOfRow = 1024, partitionsOfRow = 16;
  static constexpr size_t manyBlocks = 8;

  bool isWithin(const Strategy &outer, Nanoseconds perMicroBatch) const;
  const std::vector<LayoutOffer::Place> &placesOf(const Strategy &outer,
                                                  LayoutOffer &offer) const;
  class OpenLayouts;
  using LinksByPools =
      std::map<const std::vector<unsigned> *, const PipelineLinks>;

  /// What an offer has, with these pools. False if it had to stop.
  bool visit(const std::vector<unsigned> &pools, LayoutOffer &offer,
             OpenLayouts &open);
  /// False if it had to stop.
  bool cutAll(const RowBounds::OpenRow &row, const LayoutList &list,
              std::vector<Open> open, LinksByPools &linksOf);
  void cut(const RowBounds::OpenRow &row, const PipelineLinks &links,
           const LayoutList &list, const Open &each);

  const CostContext &context;
  const SearchConstraints &constraints;
  const Chain &chain;
  CutLists &cuts;
  RowBounds &rows;
  const std::function<bool()> &mustStop;
  bool isScout;
  Nanoseconds &most;
  SearchCounts &counts;
  std::optional<Candidate> best;
  /// That are left for the row.
  int64_t looks = 0, partitions = 0;
  Nanoseconds leastLeft = Nanoseconds::saturated();
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CLASSES_ROWSEARCH_H
