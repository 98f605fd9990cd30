// SPDX-License-Identifier: Apache-2.0
//
// The layouts of a row: bounded in groups, then one by one; those that may be
// fast enough are cut into stages, best bound first.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_ROWSEARCH_H
#define SHARDSMITH_LIB_PLAN_SEARCH_ROWSEARCH_H

#include "Candidate.h"
#include "CutLists.h"
#include "LayoutList.h"
#include "RowBounds.h"

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
    size_t group;
    Nanoseconds bottleneck;
  };

  const LayoutList *list;
  /// These alone, if they are few.
  std::optional<std::vector<const ChainLayout *>> few;
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
  /// The best strategy of all rows.
  std::optional<Candidate> take() { return std::move(best); }

private:
  /// A layout, the pools of the pipeline's ranks, and their bound.
  struct Open {
    Nanoseconds bound;
    const ChainLayout *layout;
    const std::vector<unsigned> *pools;

    /// Best bound first, then the fastest layout.
    bool isBefore(const Open &other) const;
  };

  bool isWithin(const Strategy &outer, Nanoseconds perMicroBatch) const;
  const std::vector<LayoutOffer::Place> &placesOf(const Strategy &outer,
                                                  LayoutOffer &offer) const;
  void addOpen(const RowBounds::OpenRow &row,
               const std::vector<unsigned> &pools, LayoutOffer &offer,
               std::vector<Open> &open);
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
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_ROWSEARCH_H
