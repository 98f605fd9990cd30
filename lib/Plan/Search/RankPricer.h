// SPDX-License-Identifier: Apache-2.0
//
// What a pipeline rank costs that holds a given piece of the chain, with the
// cheapest recomputation that fits its memory. Prices are remembered.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_RANKPRICER_H
#define SHARDSMITH_LIB_PLAN_SEARCH_RANKPRICER_H

#include "Chain.h"
#include "RecomputeMix.h"

#include <map>

namespace shardsmith::search {

struct RankOption {
  bool fits = false;
  /// No piece that contains this one fits this rank either.
  bool isHopeless = false;
  Nanoseconds perMicroBatch, idle, tail;
};

class RankPricer {
public:
  /// All must outlive this.
  RankPricer(const StepModel &model, const Chain &chain,
             const UnitPrices &prices, RecomputeMask allowed);

  const RankOption &option(int64_t rank, unsigned pool, const Piece &piece);
  /// The choice behind the option, which must fit.
  RecomputeMix mix(int64_t rank, unsigned pool, const Piece &piece);
  /// By how many bytes the rank is over its limit when it saves as little as
  /// it may.
  Bytes missing(int64_t rank, unsigned pool, const Piece &piece);

private:
  /// Everything about a piece that does not depend on the rank.
  struct Base {
    std::vector<UnitGroup> groups;
    /// Without saved bytes and recomputation.
    StageWork work;
    RankTimes times;
    /// Every unit with its fastest choice.
    RecomputeMix fastest;
  };
  const Base &baseOf(unsigned pool, const Piece &piece);
  Bytes memory(int64_t rank, unsigned pool, const Base &base, Bytes saved,
               Bytes transient) const;
  std::optional<RecomputeMix> mixOf(int64_t rank, unsigned pool,
                                    const Base &base) const;
  RankOption priced(int64_t rank, unsigned pool, const Base &base) const;

  const StepModel &model;
  const Chain &chain;
  const UnitPrices &prices;
  RecomputeMask allowed;
  std::map<std::pair<unsigned, Piece>, Base> bases;
  std::map<std::pair<int64_t, const Base *>, RankOption> options;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_RANKPRICER_H
