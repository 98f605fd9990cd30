// SPDX-License-Identifier: Apache-2.0
//
// What a layout needs for the whole chain, whatever the stages.

#ifndef SHARDSMITH_LIB_PLAN_CHAINS_CHAINSUMS_H
#define SHARDSMITH_LIB_PLAN_CHAINS_CHAINSUMS_H

#include "Chain.h"
#include "RecomputeMix.h"

#include "shardsmith/Cost/Step/StepModel.h"
#include "shardsmith/Plan/Blocks/BlockBounds.h"

#include <optional>

namespace shardsmith::search {

/// One layout's sums over the chain, on one kind of device; or what no one of
/// several layouts has less of.
struct ChainSums {
  /// The whole chain as the work of one rank, without recomputation.
  StageWork whole;
  std::vector<UnitGroup> groups;
  /// Of a micro-batch through a unit of each segment and through the chain,
  /// with the fastest recomputation allowed.
  std::vector<Nanoseconds> unitTimes;
  Nanoseconds time;
  /// What recomputation adds at least, and what is saved then.
  Nanoseconds leastRecompute;
  Bytes savedThen, leastSaved;
  /// What hides communication and fills gaps, at most: kernels, and those of
  /// the gradients of parameters.
  Nanoseconds mostCompute, mostBackwardWeight;
  /// Of a micro-batch through the chain, where the most that fills gaps is not
  /// known.
  std::optional<UnfilledTimeEnvelope> unfilled;

  ChainSums(const Chain &chain, const std::vector<UnitCosts> &units,
            RecomputeMask allowed);
};

/// What no one of several layouts of a block has less of, or more, on any of
/// the kinds of device it is known for.
struct BlockRange {
  UnitCosts least;
  /// With the fastest recomputation allowed, and what of that is not
  /// recomputation. Times count as sums: the layout with the fastest kernels is
  /// seldom the one that communicates least.
  Nanoseconds time, plain;
  Nanoseconds mostCompute, mostBackwardWeight;

  BlockRange(const UnitCosts &unit, RecomputeMask allowed);
  void add(const BlockRange &other);
};

/// What a unit has at least, whatever its layout.
struct UnitMinima {
  UnitIdeal least;
  /// Times: without recomputation if that is allowed, and of all that is.
  Nanoseconds plain, fastest;

  /// On any of two kinds of device.
  void takeLess(const UnitMinima &other);
};

/// The least of everything that any of several layouts needs, each part on its
/// own.
class ChainIdeal {
public:
  /// Per block.
  ChainIdeal(const Chain &chain, const std::vector<BlockRange> &ranges,
             RecomputeMask allowed);
  /// Per block. Nothing is known of what layouts have at most.
  ChainIdeal(const Chain &chain, const std::vector<UnitMinima> &units,
             RecomputeMask allowed);
  ChainIdeal(const ChainIdeal &) = delete;
  ChainIdeal &operator=(const ChainIdeal &) = delete;

  const ChainSums &sums() const { return *sumsOfIdeal; }

private:
  /// Of an ideal layout, which `sumsOfIdeal` refers to.
  std::vector<UnitCosts> ideal;
  std::optional<ChainSums> sumsOfIdeal;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_CHAINSUMS_H
