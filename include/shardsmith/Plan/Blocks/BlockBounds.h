// SPDX-License-Identifier: Apache-2.0
//
// What one unit of a block takes at least, whatever the block's layout: much
// faster than its table.

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

/// The least of every number that layouts of a unit have, each number on its
/// own, before the launch floor; of communication inside the block only the
/// sums count, and are given as that of the tensor axis. Traffic is not
/// counted. Numbers of 2^52 and more where the setting cannot run the block.
struct UnitIdeal {
  UnitCosts costs;
  UnfilledTimeEnvelope unfilled;
};

/// Of one block under any settings. Not for use by two threads at once.
class BlockBounds {
public:
  /// `repeatable`: only layouts whose inputs equal their outputs count. Of a
  /// block that is beyond the limits the least numbers are bounds, which no
  /// layout may have.
  explicit BlockBounds(bool repeatable, const SumLimits &limits = {});
  ~BlockBounds();
  BlockBounds(BlockBounds &&) noexcept;

  /// What was found out without ops and parameters that see experts, for all
  /// settings that differ in the expert axis alone.
  class Common {
  public:
    Common();
    ~Common();
    Common(Common &&) noexcept;

    /// What `fastestCommon` has found, if it was asked for.
    std::optional<Nanoseconds> fastest(Recompute choice) const;

  private:
    friend class BlockBounds;
    struct Parts;
    std::unique_ptr<Parts> parts;
  };

  /// The least time that any layout takes forward and backward with that way of
  /// recomputing; saturated if the setting cannot run the block.
  Nanoseconds fastest(const UnitCostModel &model, Recompute choice,
                      Common &common);
  /// The same on the device, if what sees experts took no time.
  Nanoseconds fastestCommon(const UnitCostModel &model, Recompute choice,
                            Common &common);
  UnitIdeal least(const UnitCostModel &model, Common &common);

private:
  const blocks::BlockOutline &outlineOf(const UnitCostModel &model);

  bool repeatable;
  SumLimits limits;
  /// By what the tensor axis may split.
  std::map<std::vector<uint32_t>, std::unique_ptr<blocks::BlockOutline>>
      outlines;
};

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_BLOCKS_BLOCKBOUNDS_H
