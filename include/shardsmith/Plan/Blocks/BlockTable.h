// SPDX-License-Identifier: Apache-2.0
//
// Block tables: all layouts of one block under one setting that are worth
// having, by the layouts at its border. docs/step-time.md describes how they
// are found.
//
// A layout of a block dominates another one with the same border if none
// of these is larger, whatever stage the block ends up in (IdleTable.h has the
// schedules and ZeRO stages that more numbers matter to):
//  - forward + backward, the same with selective and with full recomputation,
//  - saved bytes with each way of recomputing,
//  - parameters of each kind, and those whose gradients the tensor axis sums;
//    the same of those that units share, all groups of them together,
//  - the transient.
// Memory is compared by ε-dominance: amounts are rounded to the cells of a
// grid, a thousandth of what the block needs if nothing is split, so that
// layouts are not told apart by the bias of a norm. A table holds every layout
// that no other one dominates; of equal ones the first. Nothing else is left
// out.
//
// What the model leaves out: all repetitions of a block have one layout, so
// that of a block which follows itself hands on what it takes
// (`repeatable`). Blocks that differ agree at their border.

#ifndef SHARDSMITH_PLAN_BLOCKS_BLOCKTABLE_H
#define SHARDSMITH_PLAN_BLOCKS_BLOCKTABLE_H

#include "shardsmith/Cost/Units/UnitCosts.h"
#include "shardsmith/Plan/Blocks/SumLimits.h"

#include <array>
#include <functional>
#include <memory>
#include <span>

namespace shardsmith {

/// A layout of a block with the layouts of its border and its costs.
struct BlockEntry {
  std::vector<TensorLayout> inputs, outputs;
  UnitCosts costs;
  BlockLayout layout;
};

/// The numbers that a table compares layouts by.
enum class Compare {
  All,
  /// Times alone. Every layout fits, so a layout that needs less memory is no
  /// better for it.
  AllButMemory,
};

/// The grid of ε-dominance: the cells in which tables compare memory. With
/// `Compare::AllButMemory` every amount is 0 cells.
struct EpsilonGrid {
  explicit EpsilonGrid(const UnitCostModel &model,
                       Compare compare = Compare::All);

  /// The number of cells, rounded to the nearest.
  int64_t ofBytes(Bytes bytes) const;
  int64_t ofParameters(int64_t elements) const;

  Bytes bytes;
  int64_t parameters = 1;
};

/// The table of a block, sorted by inputs, then outputs, then time; empty if
/// the setting cannot run the block. With `repeatable` it has only entries
/// whose inputs equal their outputs.
std::vector<BlockEntry> blockTable(const UnitCostModel &model,
                                   bool repeatable = false);

/// The same where units of the block may lie on any of several device kinds,
/// with one model each: a layout dominates another one if no time is larger on
/// any of the kinds. `BlockEntry::costs` are those on the first kind.
/// `mustStop` is called now and then; once it returns true, entries may be
/// missing.
std::vector<BlockEntry> blockTable(std::span<const UnitCostModel *const> models,
                                   bool repeatable,
                                   Compare compare = Compare::All,
                                   const std::function<bool()> &mustStop = {});

/// Ways of recomputing that units may have, by `Recompute`.
using RecomputeWays = std::array<bool, recomputeChoices>;
constexpr RecomputeWays everyWay = {true, true, true};

/// A table that was made within limits of memory and time.
struct LimitedTable {
  /// Sorted as the entries of `blockTable`.
  std::vector<BlockEntry> entries;
  /// Whether the entries are all that are worth having.
  bool isWhole = true;
};

/// The table, if it can be summed up within the limits. Else a few layouts: the
/// best by time, by saved bytes, by parameters and by weighted objectives of
/// these, and the one that splits nothing. The result is the same on every
/// machine. What units take and save with other ways of recomputing than `ways`
/// is not compared; what they save with none always is, as that much is there
/// while a unit is computed again.
LimitedTable limitedTable(std::span<const UnitCostModel *const> models,
                          bool repeatable, Compare compare,
                          const SumLimits &limits = {},
                          const std::function<bool()> &mustStop = {},
                          RecomputeWays ways = everyWay);

/// Whether a sum over the block is within the limits.
bool isWithinLimits(const UnitCostModel &model, bool repeatable,
                    const SumLimits &limits = {});

/// The most saved bytes, transient, output and parameters that any layout has;
/// only upper bounds of them if the block is beyond the limits. Nothing else is
/// set.
UnitCosts mostMemory(const UnitCostModel &model, bool repeatable,
                     const SumLimits &limits = {});

/// For each layout of the border three layouts, in no order: the fastest on the
/// first device kind, the one that saves least, and the one with the fewest
/// parameters, with the ways of recomputing that are `allowed`. They are found
/// much faster than the table. For a block that is beyond the limits they are
/// chosen from its limited table. Once `mustStop` returns true, layouts may be
/// missing.
std::vector<BlockEntry>
extremeLayouts(std::span<const UnitCostModel *const> models, bool repeatable,
               const std::array<bool, recomputeChoices> &allowed,
               const SumLimits &limits = {},
               const std::function<bool()> &mustStop = {});

/// What of a setting a block can see.
struct BlockFacts {
  /// Whether the block follows itself somewhere in the chain.
  bool repeats = false;
  bool hasExperts = false, hasAttention = false;

  /// The setting without what the block cannot see: settings that the block
  /// cannot tell apart become equal.
  UnitSetting relevant(UnitSetting setting) const;
};
/// The facts of each block.
std::vector<BlockFacts> blockFacts(const workload::Workload &workload);

/// The tables of a workload, each made when it is first asked for. Only one
/// thread at a time may use it.
class BlockTables {
public:
  /// Both arguments must outlive this object.
  BlockTables(const workload::Workload &workload,
              const CollectiveTimes &collectives);
  ~BlockTables();

  /// The table of a block under a setting. `kernels` are those of the pool and
  /// must outlive this object.
  const std::vector<BlockEntry> &table(workload::BlockIndex block,
                                       const UnitSetting &setting,
                                       unsigned pool,
                                       const KernelTimes &kernels);
  /// The number of tables that were made.
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
