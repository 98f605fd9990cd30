// SPDX-License-Identifier: Apache-2.0
//
// All layouts of one block under one setting that are worth having, by the
// layouts of what comes in and goes out. docs/step-time.md describes how
// they are found.
//
// A layout of a block is better than another one with the same border if none
// of these is larger, whatever stage the block ends up in (IdleTable.h has the
// schedules and ZeRO stages that more numbers matter to):
//  - forward + backward, the same with selective and with full recomputation,
//  - saved bytes with each way of recomputing,
//  - parameters of each kind, and those whose gradients the tensor axis sums;
//    the same of those that units share, all groups of them together,
//  - the transient.
// Memory counts in grains, a thousandth of what the block needs if nothing is
// split: each tensor's share is rounded to whole grains, so that layouts are
// not told apart by the bias of a norm. A table holds every layout that no
// other one is better than; of equal ones the first. Nothing else is left out.
//
// What the model leaves out: all repetitions of a block have one layout, so
// that of a block which follows itself hands on what it takes
// (`repeatable`). Blocks that differ agree at their border.

#ifndef SHARDSMITH_PLAN_BLOCKS_BLOCKTABLE_H
#define SHARDSMITH_PLAN_BLOCKS_BLOCKTABLE_H

#include "shardsmith/Cost/Units/UnitCosts.h"
#include "shardsmith/Plan/Blocks/SumLimits.h"

#include <functional>
#include <memory>
#include <span>

namespace shardsmith {

struct BlockEntry {
  std::vector<TensorLayout> inputs, outputs;
  UnitCosts costs;
  BlockLayout layout;
};

/// What a table compares layouts by.
enum class Compare {
  All,
  /// Whatever needs less memory is no better for that: everything fits.
  AllButMemory,
};

/// The units in which tables compare memory; without it no layout has any.
struct EpsilonGrid {
  explicit EpsilonGrid(const UnitCostModel &model,
                       Compare compare = Compare::All);

  /// Rounded to the nearest.
  int64_t ofBytes(Bytes bytes) const;
  int64_t ofParameters(int64_t elements) const;

  Bytes bytes;
  int64_t parameters = 1;
};

/// Sorted by inputs, then outputs, then time; empty if the setting cannot run
/// the block. With `repeatable` only entries whose inputs equal their outputs.
std::vector<BlockEntry> blockTable(const UnitCostModel &model,
                                   bool repeatable = false);

/// The same where units of the block may lie on any of several kinds of device,
/// one model each: a layout is better than another one if no time is larger on
/// any of them. `BlockEntry::costs` are those on the first. `mustStop` is asked
/// now and then; once it is true, the table has not all that it should have.
std::vector<BlockEntry> blockTable(std::span<const UnitCostModel *const> models,
                                   bool repeatable,
                                   Compare compare = Compare::All,
                                   const std::function<bool()> &mustStop = {});

/// A table that is bounded.
struct LimitedTable {
  /// Sorted as those of a table.
  std::vector<BlockEntry> entries;
  /// They are all that are worth having.
  bool isWhole = true;
};

/// The table, if it can be summed up within the limits; else a few of its
/// layouts, always with the one that splits nothing: the best by time, by what
/// is saved, by parameters, and by weighted sums of these. The same on every
/// machine.
LimitedTable limitedTable(std::span<const UnitCostModel *const> models,
                          bool repeatable, Compare compare,
                          const SumLimits &limits = {},
                          const std::function<bool()> &mustStop = {});

/// Whether a sum over the block is within the limits.
bool isWithinLimits(const UnitCostModel &model, bool repeatable,
                    const SumLimits &limits = {});

/// Saved bytes, transient, output and parameters: no layout has more of any of
/// them, some layout has as much unless the block is beyond the limits. Nothing
/// else is set.
UnitCosts mostMemory(const UnitCostModel &model, bool repeatable,
                     const SumLimits &limits = {});

/// For each layout of the border a layout that is fastest on the first kind of
/// device, one that saves least, and one with the fewest parameters, with the
/// ways of recomputing that are `allowed`: much faster than the table. In no
/// order. Of a block that is beyond the limits those of its limited table.
std::vector<BlockEntry>
extremeLayouts(std::span<const UnitCostModel *const> models, bool repeatable,
               const std::array<bool, recomputeChoices> &allowed,
               const SumLimits &limits = {},
               const std::function<bool()> &mustStop = {});

/// What decides which settings of a block are the same to it.
struct BlockFacts {
  /// It follows itself somewhere.
  bool repeats = false;
  bool hasExperts = false, hasAttention = false;

  /// Settings that differ in nothing the block can see become equal.
  UnitSetting relevant(UnitSetting setting) const;
};
/// Per block.
std::vector<BlockFacts> blockFacts(const workload::Workload &workload);

/// The tables of a workload, each made when it is first asked for. Not for use
/// by two threads at once.
class BlockTables {
public:
  /// Both must outlive this.
  BlockTables(const workload::Workload &workload,
              const CollectiveTimes &collectives);
  ~BlockTables();

  /// `kernels` are those of device pool `pool` and must outlive this.
  const std::vector<BlockEntry> &table(workload::BlockIndex block,
                                       const UnitSetting &setting,
                                       unsigned pool,
                                       const KernelTimes &kernels);
  /// Tables made so far.
  size_t size() const;

private:
  struct Cached;

  const workload::Workload &workload;
  const CollectiveTimes &collectives;
  std::vector<BlockFacts> facts;
  std::vector<std::unique_ptr<Cached>> cached;
};

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_BLOCKS_BLOCKTABLE_H
