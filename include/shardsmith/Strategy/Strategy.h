// SPDX-License-Identifier: Apache-2.0
//
// Everything a plan decides about one workload on one cluster, and nothing
// it predicts: predictions are computed from this, so that a plan made with
// old figures can be priced again with new ones.

#ifndef SHARDSMITH_STRATEGY_STRATEGY_H
#define SHARDSMITH_STRATEGY_STRATEGY_H

#include "shardsmith/Strategy/Axes.h"
#include "shardsmith/Support/Quantity.h"
#include "shardsmith/Workload/Workload.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shardsmith {

/// What the forward pass keeps for the backward pass of a block.
enum class Recompute {
  /// Everything the derivatives read.
  None,
  /// All but the inside of attention, or whatever else the stack drops
  /// (`selective_keeps_products` in docs/cost-model.md).
  Selective,
  /// The block's inputs; the forward pass runs again.
  Full,
};
/// `none`, `selective`, `full`.
std::string_view nameOf(Recompute choice);
std::optional<Recompute> recomputeNamed(std::string_view name);
inline constexpr int recomputeChoices = 3;

/// Order in which a rank runs its stages' forward and backward passes; the
/// rules are in docs/schedules.md.
enum class ScheduleFamily {
  GPipe,
  OneForwardOneBackward,
  EagerOneForwardOneBackward,
  Interleaved,
  ZeroBubbleH1,
  ZeroBubbleH2,
  ZeroBubbleV,
  DualPipeV,
};
inline constexpr size_t scheduleFamilies =
    size_t(ScheduleFamily::DualPipeV) + 1;
/// `gpipe`, `1f1b`, `eager-1f1b`, `interleaved`, `zb-h1`, `zb-h2`, `zb-v`,
/// `dualpipe-v`.
std::string_view nameOf(ScheduleFamily family);
std::optional<ScheduleFamily> scheduleNamed(std::string_view name);
/// Each rank holds two stages, the second ones in reverse order.
bool isVShaped(ScheduleFamily family);
/// The pipeline rank that holds stage `stage`: stage mod pipeline, or for
/// V-shaped schedules min(stage, 2·pipeline − 1 − stage).
int64_t pipelineRankOf(ScheduleFamily family, int64_t pipeline, int64_t stage);

/// How the tensor axis treats one op: it splits this factor, or the op is done
/// by every rank of the axis.
struct OpSplit {
  std::optional<workload::FactorIndex> factor;

  bool operator==(const OpSplit &) const = default;
};

/// How the tensor axis holds one tensor. `Partial` is what an op that splits
/// a reduction hands over; it is changed to another layout at once, so no
/// tensor is kept that way.
struct TensorLayout {
  enum class Kind { Whole, Split, Partial };
  Kind kind = Kind::Whole;
  /// The dimension that is split.
  unsigned dim = 0;

  static TensorLayout whole() { return {}; }
  static TensorLayout split(unsigned dim) { return {Kind::Split, dim}; }
  static TensorLayout partial() { return {Kind::Partial, 0}; }
  auto operator<=>(const TensorLayout &) const = default;
};

/// The tensor axis in one block. `tensors` holds the layout in which a tensor
/// is kept: Whole or Split. Its producer changes its result to it, and a
/// reader that needs another layout pays for the change, once per layout.
/// Outputs are handed to the next block in it.
struct BlockLayout {
  std::vector<OpSplit> ops;
  std::vector<TensorLayout> tensors;

  bool operator==(const BlockLayout &) const = default;
};
/// Every rank of the tensor axis does and holds everything.
BlockLayout unsplitLayout(const workload::Block &block);

/// One pipeline stage: units [begin, end) of the workload's chain.
struct Stage {
  int64_t begin = 0;
  int64_t end = 0;
  /// Per unit.
  std::vector<Recompute> recompute;
  /// Which kind of device it runs on: an index into the cluster's device
  /// pools (`ClusterTopology::pools`); 0 where all devices are alike.
  unsigned pool = 0;

  bool operator==(const Stage &) const = default;
};

/// Data ranks on one kind of device that do the same.
struct DataShare {
  /// As in `Stage`.
  unsigned pool = 0;
  int64_t ranks = 1;
  /// Per step, of each of them.
  int64_t microBatches = 1;

  bool operator==(const DataShare &) const = default;
};

/// Invariants, checked by `verify`: all degrees are ≥ 1; expert divides
/// data · context; the stages are pipeline · virtualStages intervals that
/// cover the chain in order, stage s on pipeline rank s mod pipeline (V-shaped
/// schedules: on min(s, 2·pipeline − 1 − s)); data shares cover the data ranks
/// and the batch, in the order of their pools.
struct Strategy : Degrees {
  /// The axes from neighbouring devices to distant ones.
  std::vector<PlanAxis> deviceOrder = usualDeviceOrder();

  /// 0: parameters, gradients and optimizer state on every data rank; 1: the
  /// state is split; 2: gradients too; 3: parameters too.
  int zeroStage = 0;
  /// Data (× context) ranks that share one copy of what is split; divides
  /// data · context. 0 stands for all.
  int64_t zeroGroup = 0;

  /// Sequences per data rank and pass through the pipeline.
  int64_t microBatch = 1;
  /// Where data ranks lie on several kinds of device: all of them in order,
  /// those of one pool together, pools as the cluster has them. Empty if every
  /// data rank has globalBatch / (data · microBatch) micro-batches, rounded
  /// up, and stages say where they lie.
  std::vector<DataShare> dataShares;
  ScheduleFamily schedule = ScheduleFamily::OneForwardOneBackward;

  std::vector<Stage> stages;
  /// One per block of the workload.
  std::vector<BlockLayout> layouts;

  /// Micro-batches per step (of the busiest data rank).
  int64_t microBatchCount(int64_t globalBatch) const;
  /// Whether data ranks wait for each other with every micro-batch: ZeRO-2 or
  /// ZeRO-3 splits gradients over them, or experts are spread over them. All
  /// of them go through as many as the busiest one then, and the last ones of
  /// the others count for nothing (docs/micro-batches.md).
  bool waitsPerMicroBatch() const;
  /// How many micro-batches data ranks on each pool go through, where they lie
  /// on several: those of the busiest one there, or of all that it waits for.
  std::map<unsigned, int64_t> slotsOnPools() const;
  /// Those of data ranks that share the batch evenly.
  static int64_t evenMicroBatchCount(int64_t globalBatch, int64_t data,
                                     int64_t microBatch) {
    return ceilDivide(ceilDivide(globalBatch, data), microBatch);
  }

  /// Empty if this is a strategy for the workload, else the first thing that
  /// is wrong.
  std::string verify(const workload::Workload &workload) const;
  /// `tensor=8 pipeline=4 data=2 micro-batch=1 1f1b recompute=selective`
  std::string str() const;
  bool operator==(const Strategy &) const = default;
};

} // namespace shardsmith

#endif // SHARDSMITH_STRATEGY_STRATEGY_H
