// SPDX-License-Identifier: Apache-2.0
//
// Lower bounds on one unit over all layouts of its block, by variable
// elimination with one number per table entry instead of a Pareto front. That
// is much faster than the table of the block.

#ifndef SHARDSMITH_PLAN_BLOCKS_BLOCKBOUNDS_H
#define SHARDSMITH_PLAN_BLOCKS_BLOCKBOUNDS_H

#include "shardsmith/Cost/Units/UnitCosts.h"
#include "shardsmith/Plan/Blocks/SumLimits.h"
#include "shardsmith/Plan/Blocks/UnfilledTimeEnvelope.h"

#include <map>
#include <memory>
#include <vector>

namespace shardsmith {

namespace blocks {
class BlockOutline;
}

/// The ideal of a unit: the least of every number over all of its layouts, each
/// found on its own, before the launch floor. Communication inside the block is
/// given as a sum, in the place of that of the tensor axis; traffic is not
/// counted. Numbers are 2^52 or more if the setting cannot run the block.
struct UnitIdeal {
  UnitCosts costs;
  UnfilledTimeEnvelope unfilled;
};

/// Bounds of one block under any settings. Only one thread at a time may use
/// it.
class BlockBounds {
public:
  /// With `repeatable` only layouts whose inputs equal their outputs count. If
  /// the block is beyond the limits, the numbers are lower bounds that no
  /// layout need reach.
  explicit BlockBounds(bool repeatable, const SumLimits &limits = {});
  ~BlockBounds();
  BlockBounds(BlockBounds &&) noexcept;

  /// Results without the ops and parameters that the expert axis changes: the
  /// same for all settings that differ in the expert axis alone.
  class Common {
  public:
    Common();
    ~Common();
    Common(Common &&) noexcept;

    /// The result of `fastestCommon`, if it was asked for.
    std::optional<Nanoseconds> fastest(Recompute choice) const;

  private:
    friend class BlockBounds;
    struct Parts;
    std::unique_ptr<Parts> parts;
  };

  /// The least time of any layout, forward and backward, with that way of
  /// recomputing; saturated if the setting cannot run the block.
  Nanoseconds fastest(const UnitCostModel &model, Recompute choice,
                      Common &common);
  /// The same on the device (without the launch floor), as if what the expert
  /// axis changes took no time.
  Nanoseconds fastestCommon(const UnitCostModel &model, Recompute choice,
                            Common &common);
  UnitIdeal least(const UnitCostModel &model, Common &common);

private:
  const blocks::BlockOutline &outlineOf(const UnitCostModel &model);

  bool repeatable;
  SumLimits limits;
  /// The key says which splits the tensor degree allows.
  std::map<std::vector<uint32_t>, std::unique_ptr<blocks::BlockOutline>>
      outlines;
};

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_BLOCKS_BLOCKBOUNDS_H
