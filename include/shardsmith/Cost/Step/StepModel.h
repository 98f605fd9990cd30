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

/// The times of one pipeline rank: per micro-batch, and at the end of the step.
struct RankTimes {
  Nanoseconds compute, recompute;
  UnitCommunication exchanges;
  /// The whole time of messages between stages, and its exposed part.
  Nanoseconds messages, pipeline;
  /// The whole time of what ZeRO exchanges in every micro-batch, and its
  /// exposed part.
  Nanoseconds exchange, gather;
  /// How long all other ranks together wait while the pipeline fills and
  /// drains, if they are like this one. It is negative where gradients of
  /// parameters fill the gaps.
  Nanoseconds idle;
  /// The exposed reduction of gradients once per step, and the optimizer.
  Nanoseconds data, optimizer;
  /// What the rank exchanges once per step with other stages, because they hold
  /// some of its parameters as well; set by whoever knows the links.
  Nanoseconds shared;

  Nanoseconds perMicroBatch() const {
    return compute + recompute + exchanges.sum() + pipeline + gather;
  }
  Nanoseconds tail() const { return data + shared + optimizer; }
};

/// The gradients of parameters, each of one micro-batch on one rank, that a
/// zero-bubble schedule moves into the gaps of filling and draining; that of
/// the last micro-batch has to stay behind. 0 for other schedules.
int64_t gapsFilled(ScheduleFamily family, int64_t ranks, int64_t microBatches);

/// The paths of the ranks with equal parameters. ZeRO splits over the groups of
/// `shards`; gradients are reduced over `shards` and over `copies`; `all` joins
/// both.
struct ReplicaPaths {
  GroupPath shards, copies, all;
};

/// Groups among the data × context ranks, as `AxisPaths::replicas` has them.
struct ReplicaSubset {
  int64_t inner = 1, size = 1;

  bool operator==(const ReplicaSubset &) const = default;
};
/// The groups of `ReplicaPaths`.
struct ReplicaSubsets {
  ReplicaSubset shards, copies, all;
};
/// Of the ranks with equal dense parameters, and of those with equal experts.
ReplicaSubsets denseGroups(const Strategy &outer);
ReplicaSubsets expertGroups(const Strategy &outer);

/// What a rank exchanges beside its units and messages.
struct StepExchange {
  enum class When {
    /// In every micro-batch: before the passes of a stage, or behind the
    /// backward pass.
    BeforeForward,
    BeforeBackward,
    BehindBackward,
    /// Once per step, before the optimizer or behind it.
    BeforeUpdate,
    BehindUpdate,
  };
  CollectiveOp op = CollectiveOp::AllReduce;
  When when = When::BeforeUpdate;
  /// Missing for ranks of the tensor axis.
  std::optional<ReplicaSubset> group;
  /// As `CollectiveTimes` counts them.
  Bytes bytes;
  /// All of it, hidden or not.
  Nanoseconds time;

  bool isPerMicroBatch() const { return when < When::BeforeUpdate; }
};

/// The memory of a device that a plan may use: all but what is reserved, less
/// the margin (a fraction).
Bytes usableMemory(const DeviceType &device, double margin);
Bytes usableMemory(const CostContext &context, unsigned pool);

/// The time of a step of so many ranks beyond their work: waiting for the
/// slowest of them, and fixed time.
struct StepOverhead {
  /// The share of the work that is added to it.
  double waiting = 0;
  Nanoseconds fixed;

  StepOverhead(const CostContext &context, int64_t ranks);
  Nanoseconds step(Nanoseconds work) const;
  /// The most work whose step is at most `step`; negative if there is none.
  Nanoseconds longestWork(Nanoseconds step) const;
};

class StepModel {
public:
  /// With `Free` links, what ranks exchange beside their units takes no time.
  /// That is a relaxation for bounds: no device order takes less, and of ZeRO
  /// groups the largest takes least.
  enum class Links { OfDeviceOrder, Free };

  /// Both `context` and `outer` must outlive this object. The stages and
  /// layouts of `outer` are not read.
  StepModel(const CostContext &context, const Strategy &outer,
            Links links = Links::OfDeviceOrder);
  /// The model of a strategy that differs from that of `other` only in its
  /// schedule or ZeRO stage.
  StepModel(const StepModel &other, const Strategy &outer);

  int64_t microBatches() const { return microBatchCount; }
  /// The same model for a replica with another number of micro-batches, whose
  /// gradients of parameters fill the gaps of zero-bubble schedules.
  StepModel filledBy(int64_t microBatches) const {
    StepModel other = *this;
    other.fillingMicroBatches = microBatches;
    return other;
  }

  /// Whether shared parameters are exchanged once per unit that uses them,
  /// because the stages of a rank run at different times.
  bool exchangesUses() const { return outer.virtualStages > 1; }
  /// The times of a rank. `work` is the sum over its stages, and `messages` has
  /// one message per stage that has a successor.
  RankTimes times(unsigned pool, const StageWork &work,
                  std::span<const PipelineMessage> messages) const;
  /// What `times` adds up in `RankTimes::exchange` and `data`, one by one in
  /// the order of a step.
  std::vector<StepExchange> exchanges(unsigned pool,
                                      const StageWork &work) const;
  /// The bytes of gradients, and of new values, of parameters that several
  /// pipeline ranks hold.
  struct SharedBytes {
    Bytes gradients, values;
  };
  SharedBytes sharedBytes(const SharedHolding &held) const;
  /// `RankTimes::shared` of a rank with this work. `path` joins the pipeline
  /// ranks that are farthest from each other.
  Nanoseconds sharedExchange(const StageWork &work,
                             const GroupPath &path) const;
  /// A lower bound on the exposed time of a message: activations go forward,
  /// their gradients come back.
  Nanoseconds time(const PipelineMessage &message) const;
  /// The time of the message one way, without what the stack hides under every
  /// schedule.
  Nanoseconds messageTime(const PipelineMessage &message) const;
  /// The least `messageTime` of so many bytes on any path that a message may
  /// take.
  Nanoseconds leastMessage(Bytes bytes) const;
  /// Changes the times to those of the same work with another amount of
  /// recomputation.
  void setRecompute(RankTimes &times, StageWork work,
                    Nanoseconds recompute) const;
  StageEstimate memory(int64_t rank, unsigned pool,
                       const StageWork &work) const;
  /// The part of the memory that parameters, their gradients and the optimizer
  /// state take.
  MemorySplit held(unsigned pool, const StageWork &work) const;
  /// Whether all ranks together have room for the parameters of `work` and what
  /// belongs to them.
  bool haveRoom(unsigned pool, const StageWork &work) const;
  /// The bytes that exist only while a unit runs, with the parameters that are
  /// gathered for it.
  Bytes workspaceBytes(Bytes transient, int64_t largestUnitParameters) const;
  /// The least that all ranks together hold under any strategy: every parameter
  /// once, with its gradient and optimizer state.
  static Bytes leastHeld(const CostContext &context);
  /// The bytes that every rank needs, whatever it holds.
  static Bytes overheadBytes(const CostContext &context);
  /// The bytes of one parameter in the form in which a rank computes with it.
  static double parameterBytes(const CostContext &context);
  /// Of one parameter, the bytes that ZeRO of this stage splits over ranks.
  static double splitBytes(const CostContext &context, int zeroStage);
  Bytes memoryLimit(unsigned pool) const { return (*pools)[pool].memoryLimit; }
  /// Lowers the memory limit of every device kind to at most `most`.
  void limitMemory(Bytes most);
  /// Prices the reduction of gradients as partly hidden even for a single
  /// micro-batch, because other replicas have several.
  void hideReduction() { hidesReduction = true; }
  /// The most bytes that the stages of the rank may save per micro-batch, for
  /// all other memory of `work`; nothing if the other memory alone is too much.
  std::optional<Bytes> savedBudget(int64_t rank, unsigned pool,
                                   StageWork work) const;

  IdleWeights idleWeights() const;
  /// An upper bound on the bubble, in micro-batches of the busiest rank. Where
  /// messages are hidden behind work, a rank may wait for as long again while
  /// it has no work.
  double mostBubble() const;
  /// `RankTimes::idle` of a rank with this work; linear in the work.
  Nanoseconds idle(const StageWork &work) const;

  /// The three numbers that a step's time depends on.
  struct Totals {
    /// The time per micro-batch of the busiest rank.
    Nanoseconds perMicroBatch;
    /// The sum of `RankTimes::idle` over the ranks.
    Nanoseconds idle;
    /// The tail of the rank that takes longest after its last micro-batch.
    Nanoseconds tail;
  };
  Nanoseconds step(const Totals &totals) const {
    return step(totals, microBatchCount);
  }
  /// The work of a step: its time without fixed time and without waiting for
  /// the slowest of many ranks.
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
  /// The step of one pipeline, itemised. `played` is the time of its schedule
  /// when it is played, or 0 if that is not known. The closed form leaves out
  /// that uneven stages wait for each other and for messages. So a step is at
  /// least the played time less the family's `playedTolerance`, and what the
  /// closed form lacks is counted as bubble.
  TimeSplit split(std::span<const RankTimes> ranks, int64_t microBatches,
                  Nanoseconds played) const;

private:
  /// What depends on the device kind.
  struct PoolPrices {
    KernelTimes kernels;
    Bytes memoryLimit;
    GroupPath tensor;
    /// The path of the whole pipeline axis; unset where devices differ, since
    /// messages take several paths then.
    GroupPath pipeline;
    /// The ranks with equal dense parameters, and those with equal experts.
    ReplicaPaths dense, expert;
  };

  Nanoseconds collective(CollectiveOp op, const GroupPath &path,
                         Bytes bytes) const;
  Nanoseconds bubble(Nanoseconds idle) const;
  bool hidesMessages() const;
  Nanoseconds bothWays(const PipelineMessage &message) const;
  /// Gradients of parameters that the tensor ranks have used whole.
  StepExchange partialSum(unsigned pool, const StageWork &work) const;
  /// Adds the exchange of parameters. `uses` counts the parameters that every
  /// micro-batch exchanges.
  void addReplicaTraffic(const ReplicaPaths &paths, int64_t parameters,
                         int64_t uses, RankTimes &times) const;
  /// Prices what replicas exchange, and gives each exchange to `sink` with its
  /// path.
  template <typename Sink>
  void eachReplicaExchange(const ReplicaPaths &paths, int64_t parameters,
                           int64_t uses, Sink sink) const;

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
