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
//
// The same goes for layouts that communicate less although they take longer:
// where kernels hide the exchange of parameters (ZeRO), only what they leave of
// it and communication count.
//
// Where units of the block may lie on several kinds of device, limits are per
// kind, as each has its own factors; what is within a limit on one of them is
// kept.

#ifndef SHARDSMITH_PLAN_BLOCKS_IDLETABLE_H
#define SHARDSMITH_PLAN_BLOCKS_IDLETABLE_H

#include "shardsmith/Cost/Step/IdleWeights.h"
#include "shardsmith/Plan/Blocks/BlockTable.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace shardsmith {

struct IdleMeasure {
  IdleWeights weights;
  IdleShares shares;
  std::array<bool, recomputeChoices> recompute = {};
  /// Of equally fast layouts one that communicates less may be better, although
  /// its kernels take longer: these hide the exchange of parameters.
  bool countsCommunication = false;
};

class IdleTable {
public:
  /// One kind of device; the model must outlive the table.
  struct Kind {
    const UnitCostModel *model = nullptr;
    IdleMeasure measure;
  };
  /// Measures differ in their shares alone.
  IdleTable(const std::vector<Kind> &kinds, bool repeatable);
  ~IdleTable();

  struct Amounts {
    double time = 0, share = 0;
  };
  /// Per kind: no layout has less of either, with the fastest recomputation
  /// allowed; endless if the setting cannot run the block.
  std::vector<Amounts> least() const;

  /// Layouts whose time may be at most that on some kind, and whose share may,
  /// as `blockTable` gives them: all that no other is better than in its
  /// numbers and in idle. `most`: per kind. Nothing if that takes more than
  /// `effort` comparisons; those that it took are subtracted. Once `mustStop`
  /// returns true, no effort is left.
  std::optional<std::vector<BlockEntry>>
  entries(const std::vector<Amounts> &most, int64_t &effort,
          const std::function<bool()> &mustStop = {});

private:
  struct Least;
  class LeastCosts;
  struct LeastSum;
  class OnKind;
  template <typename Sums> class LimitedCosts;
  template <typename Sums>
  std::vector<BlockEntry> build(int64_t &effort,
                                const std::function<bool()> &mustStop) const;

  bool repeatable;
  std::vector<const UnitCostModel *> models;
  /// Per kind.
  std::vector<std::unique_ptr<OnKind>> onKinds;
};

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_BLOCKS_IDLETABLE_H
