// SPDX-License-Identifier: Apache-2.0
//
// What a layout needs for the whole chain, whatever its stages are; bounds of
// layouts read nothing else of it.

#ifndef SHARDSMITH_LIB_PLAN_CHAINS_CHAINSUMS_H
#define SHARDSMITH_LIB_PLAN_CHAINS_CHAINSUMS_H

#include "Chain.h"
#include "RecomputeMix.h"

#include "shardsmith/Cost/Step/StepModel.h"
#include "shardsmith/Plan/Blocks/BlockBounds.h"

#include <optional>

namespace shardsmith::search {

/// The sums of one layout over the chain on one device kind; or an ideal, the
/// least that any of several layouts has of each sum.
struct ChainSums {
  /// The whole chain as the work of one rank, without recomputation.
  StageWork whole;
  std::vector<UnitGroup> groups;
  /// The time of a micro-batch through a unit of each segment, and through the
  /// chain, with the fastest recomputation that is allowed.
  std::vector<Nanoseconds> unitTimes;
  Nanoseconds time;
  /// The least time that recomputation adds, the bytes saved then, and the
  /// fewest bytes that any recomputation saves.
  Nanoseconds leastRecompute;
  Bytes savedThen, leastSaved;
  /// The most kernel time that may hide communication, and the most of it that
  /// computes gradients of parameters, which may fill gaps of a schedule.
  Nanoseconds mostCompute, mostBackwardWeight;
  /// The cost envelope of a micro-batch through the chain; present where
  /// `mostBackwardWeight` is not known.
  std::optional<UnfilledTimeEnvelope> unfilled;

  ChainSums(const Chain &chain, const std::vector<UnitCosts> &units,
            RecomputeMask allowed);
};

/// The least, and of some numbers the most, that any of several layouts of a
/// block has on any of several device kinds.
struct BlockRange {
  UnitCosts least;
  /// The time with the fastest recomputation that is allowed, and that time
  /// without the recomputation in it. Times are compared as sums over kernels
  /// and communication, because the layout with the fastest kernels is seldom
  /// the one that communicates least.
  Nanoseconds time, plain;
  Nanoseconds mostCompute, mostBackwardWeight;

  BlockRange(const UnitCosts &unit, RecomputeMask allowed);
  void add(const BlockRange &other);
};

/// The ideal of a unit with its times: the least of each number over all of its
/// layouts.
struct UnitMinima {
  UnitIdeal least;
  /// The least time without recomputation, if that is allowed, and the least
  /// over all recomputation that is allowed.
  Nanoseconds plain, fastest;

  /// Takes the lesser of each number: the minima on either of two device kinds.
  void takeLess(const UnitMinima &other);
};

/// The ideal of several layouts of the chain: the least of every number, each
/// found on its own.
class ChainIdeal {
public:
  /// `ranges` is per block.
  ChainIdeal(const Chain &chain, const std::vector<BlockRange> &ranges,
             RecomputeMask allowed);
  /// Without upper bounds: the sums say of nothing how much layouts have of it
  /// at most. `units` is per block.
  ChainIdeal(const Chain &chain, const std::vector<UnitMinima> &units,
             RecomputeMask allowed);
  ChainIdeal(const ChainIdeal &) = delete;
  ChainIdeal &operator=(const ChainIdeal &) = delete;

  const ChainSums &sums() const { return *sumsOfIdeal; }

private:
  /// The costs of an imaginary layout that is the ideal; `sumsOfIdeal` refers
  /// to them.
  std::vector<UnitCosts> ideal;
  std::optional<ChainSums> sumsOfIdeal;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_CHAINSUMS_H
