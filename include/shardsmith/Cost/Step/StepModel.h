// SPDX-License-Identifier: Apache-2.0
//
// The step as a function of its stages' work. `estimateStep` sums up the units
// of every stage and asks this; the search asks this for stages that it has
// never written down. docs/step-time.md has the formulas.
//
//     step = fixed + straggler · (pipeline + tail)
//     pipeline = M · max over ranks of `perMicroBatch`
//                + bubble(Σ over ranks of `idle`)
//     tail = max over ranks of `tail`
//
// Every term grows, or stays, with every number of every stage's work, but for
// gradients of parameters that fill the gaps of zero-bubble schedules: with
// shorter ones `idle` is more.

#ifndef SHARDSMITH_COST_STEP_STEPMODEL_H
#define SHARDSMITH_COST_STEP_STEPMODEL_H

#include "shardsmith/Cost/Paths/AxisPaths.h"
#include "shardsmith/Cost/Step/IdleWeights.h"
#include "shardsmith/Cost/Step/StageWork.h"
#include "shardsmith/Cost/Step/StepEstimate.h"

#include <memory>
#include <optional>
#include <span>

namespace shardsmith {

/// Per micro-batch, and at the end of the step, of one pipeline rank.
struct RankTimes {
  Nanoseconds compute, recompute;
  Nanoseconds tensor, context, expert;
  /// Messages between stages, and the exposed part of them.
  Nanoseconds messages, pipeline;
  /// What ZeRO exchanges in every micro-batch, and the exposed part of it.
  Nanoseconds exchange, gather;
  /// What all others together wait for while the pipeline fills and drains, if
  /// they are like this one; negative where gradients of parameters fill the
  /// gaps.
  Nanoseconds idle;
  /// Exposed reduction of gradients once per step; the optimizer.
  Nanoseconds data, optimizer;

  Nanoseconds perMicroBatch() const {
    return compute + recompute + tensor + context + expert + pipeline + gather;
  }
  Nanoseconds tail() const { return data + optimizer; }
};

/// The gradients of parameters, each of one micro-batch on one rank, that a
/// zero-bubble schedule moves into the gaps of filling and draining; that of
/// the last micro-batch has to stay behind. 0 for other schedules.
int64_t gapsFilled(ScheduleFamily family, int64_t ranks, int64_t microBatches);

/// Ranks with the same parameters: shards · copies. What ZeRO splits is split
/// over `shards`, and reduced over both.
struct ReplicaPaths {
  GroupPath shards, copies, all;
};

/// What a plan may use of a device: its memory without what is reserved, less
/// the margin, a fraction.
Bytes usableMemory(const DeviceType &device, double margin);
Bytes usableMemory(const CostContext &context, unsigned pool);

/// What a step of so many ranks takes beyond their work: waiting for the
/// slowest of them, and fixed time.
struct StepOverhead {
  /// A share of the work, added to it.
  double waiting = 0;
  Nanoseconds fixed;

  StepOverhead(const CostContext &context, int64_t ranks);
  Nanoseconds step(Nanoseconds work) const;
  /// The most work whose step is at most that; negative if there is none.
  Nanoseconds longestWork(Nanoseconds step) const;
};

class StepModel {
public:
  /// Free ones, where what ranks exchange beside their units takes no time, are
  /// for bounds: no device order takes less, and of ZeRO groups the largest
  /// takes least.
  enum class Links { OfDeviceOrder, Free };

  /// Of `outer` neither `stages` nor `layouts` are read; both must outlive
  /// this.
  StepModel(const CostContext &context, const Strategy &outer,
            Links links = Links::OfDeviceOrder);
  /// The same with another schedule or ZeRO stage; all else is equal.
  StepModel(const StepModel &other, const Strategy &outer);

  int64_t microBatches() const { return microBatchCount; }
  /// The same for a pipeline with another number of micro-batches, of which the
  /// gradients of parameters fill the gaps of zero-bubble schedules.
  StepModel filledBy(int64_t microBatches) const {
    StepModel other = *this;
    other.fillingMicroBatches = microBatches;
    return other;
  }

  /// Whether shared parameters are exchanged for every unit that uses them: the
  /// stages of a rank run at different times.
  bool exchangesUses() const { return outer.virtualStages > 1; }
  /// `work` is the sum of the stages of a rank; `messages` what they hand on,
  /// one per stage that has a successor.
  RankTimes times(unsigned pool, const StageWork &work,
                  std::span<const PipelineMessage> messages) const;
  /// Exposed time of such a message at least: activations go forward, their
  /// gradients come back.
  Nanoseconds time(const PipelineMessage &message) const;
  /// One way, of what the stack does not hide, whatever the schedule.
  Nanoseconds messageTime(const PipelineMessage &message) const;
  /// The same on any path that it may take at least.
  Nanoseconds leastMessage(Bytes bytes) const;
  /// The same work with another amount of recomputation.
  void setRecompute(RankTimes &times, StageWork work,
                    Nanoseconds recompute) const;
  StageEstimate memory(int64_t rank, unsigned pool,
                       const StageWork &work) const;
  /// Of that what parameters, their gradients and optimizer state take.
  MemorySplit held(unsigned pool, const StageWork &work) const;
  /// Whether all ranks together have room for that.
  bool haveRoom(unsigned pool, const StageWork &work) const;
  /// What is there only while a unit runs, with parameters that are gathered
  /// then.
  Bytes workspaceBytes(Bytes transient, int64_t largestUnitParameters) const;
  /// Of all ranks together at least, whatever the strategy: every parameter
  /// with its gradient and optimizer state once.
  static Bytes leastHeld(const CostContext &context);
  /// That no rank can do without.
  static Bytes overheadBytes(const CostContext &context);
  /// Of one that a rank computes with.
  static double parameterBytes(const CostContext &context);
  Bytes memoryLimit(unsigned pool) const { return (*pools)[pool].memoryLimit; }
  /// No kind of device may use more than that.
  void limitMemory(Bytes most);
  /// Other ranks have several micro-batches, which hide the reduction of
  /// gradients in part, although these may have one.
  void hideReduction() { hidesReduction = true; }
  /// The most that the rank's stages may save per micro-batch, whatever
  /// `work.saved` is; nothing if the rest alone is too much.
  std::optional<Bytes> savedBudget(int64_t rank, unsigned pool,
                                   StageWork work) const;

  IdleWeights idleWeights() const;
  /// The bubble at most, in micro-batches of the rank that takes longest. A
  /// rank that hides its messages while it works may wait for as long again
  /// when it does not.
  double mostBubble() const;
  /// `RankTimes::idle`: a sum over the work.
  Nanoseconds idle(const StageWork &work) const;

  /// The three numbers that a step's time depends on.
  struct Totals {
    /// Of the rank that takes longest.
    Nanoseconds perMicroBatch;
    /// Summed over ranks.
    Nanoseconds idle;
    /// Of the rank that takes longest after its last micro-batch.
    Nanoseconds tail;
  };
  Nanoseconds step(const Totals &totals) const {
    return step(totals, microBatchCount);
  }
  /// What the ranks do in a step: that of a perfectly even cluster without
  /// fixed time.
  Nanoseconds work(const Totals &totals) const {
    return work(totals, microBatchCount);
  }
  Nanoseconds work(const Totals &totals, int64_t microBatches) const {
    return totals.perMicroBatch * microBatches + bubble(totals.idle) +
           totals.tail;
  }
  Nanoseconds step(Nanoseconds work) const { return overhead.step(work); }
  Nanoseconds longestWork(Nanoseconds step) const {
    return overhead.longestWork(step);
  }
  /// `work(totals) <= most`, without a division.
  bool isWithin(const Totals &totals, Nanoseconds most) const {
    Nanoseconds left =
        most - totals.perMicroBatch * microBatchCount - totals.tail;
    return left >= Nanoseconds() &&
           totals.idle <= left * (outer.pipeline * outer.virtualStages);
  }
  Nanoseconds step(const Totals &totals, int64_t microBatches) const;
  /// The same for one pipeline, itemised. `played`: what its schedule takes
  /// when it is played, 0 if that is not known. Sums and means know nothing of
  /// stages that wait for each other because they are uneven, or for messages;
  /// so no step is shorter than its schedule played by more than
  /// `playedTolerance`, and what it lacks is a bubble.
  TimeSplit split(std::span<const RankTimes> ranks, int64_t microBatches,
                  Nanoseconds played) const;
  static constexpr double playedTolerance = 0.004;

private:
  /// What depends on the kind of device.
  struct PoolPrices {
    KernelTimes kernels;
    Bytes memoryLimit;
    GroupPath tensor;
    /// Nothing where devices differ: messages take many paths.
    GroupPath pipeline;
    /// Ranks with the same parameters, and the same of experts.
    ReplicaPaths dense, expert;
  };

  Nanoseconds collective(CollectiveOp op, const GroupPath &path,
                         Bytes bytes) const;
  Nanoseconds bubble(Nanoseconds idle) const;
  bool hidesMessages() const;
  Nanoseconds bothWays(const PipelineMessage &message) const;
  /// `uses`: of the parameters, in what each micro-batch exchanges.
  void addReplicaTraffic(const ReplicaPaths &paths, int64_t parameters,
                         int64_t uses, RankTimes &times) const;

  const CostContext &context;
  const Strategy &outer;
  CollectiveTimes collectives;
  std::shared_ptr<const std::vector<PoolPrices>> pools;
  int64_t microBatchCount, fillingMicroBatches;
  bool hidesReduction, areLinksFree;
  StepOverhead overhead;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_STEP_STEPMODEL_H
