// SPDX-License-Identifier: Apache-2.0
//
// The layouts of a block that are worth having under a schedule that tells the
// passes apart: ranks wait for forward + backward passes, less what gradients
// of parameters fill of the gaps, so that a slower layout may be the better one
// (BlockTable.h compares the sum). There are many more of these, but few within
// what a known plan leaves: with
//
//     share = time - shares.forward · forward
//                  - shares.backwardWeight · backwardWeight
//
// of one unit (IdleWeights.h), a step takes at least the sum of times, and the
// sum of shares, over the units, each times a factor. So layouts are built only
// from parts whose best completion is within limits of both.

#ifndef SHARDSMITH_PLAN_IDLETABLE_H
#define SHARDSMITH_PLAN_IDLETABLE_H

#include "shardsmith/Cost/IdleWeights.h"
#include "shardsmith/Plan/BlockTable.h"

#include <optional>

namespace shardsmith {

struct IdleMeasure {
  IdleWeights weights;
  IdleShares shares;
  std::array<bool, recomputeChoices> recompute = {};
};

class IdleTable {
public:
  /// The model must outlive this.
  IdleTable(const UnitCostModel &model, bool repeatable,
            const IdleMeasure &measure);
  ~IdleTable();

  /// No layout has less, with the fastest recomputation allowed; endless if
  /// the setting cannot run the block.
  double leastTime() const;
  double leastShare() const;

  /// Layouts whose time and share may be at most that, as `blockTable` gives
  /// them: all that no other is better than in its numbers and in idle. Nothing
  /// if that takes more than `effort` comparisons; those that it took are
  /// subtracted.
  std::optional<std::vector<BlockEntry>>
  entries(double mostTime, double mostShare, int64_t &effort);

private:
  /// Of a unit before the launch floor.
  double shareOf(double time, double backwardWeight, double forward) const;

  struct Least;
  class LeastCosts;
  struct LeastSum;
  class LimitedCosts;

  const UnitCostModel &model;
  bool repeatable;
  IdleMeasure measure;
  /// A line below what the launch floor makes of times: it goes through
  /// `anchor`, and grows by `growth`.
  double anchor = 0, finishedAnchor = 0, growth = 1;
  /// With any way of recomputing.
  double leastGrowth = 1;
  /// Before the launch floor.
  double time, share;
  std::unique_ptr<LeastSum> sum;
  /// Of both, for every entry of every table: the rest of the sum.
  std::vector<std::vector<Least>> beside;
};

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_IDLETABLE_H
