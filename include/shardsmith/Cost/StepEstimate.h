// SPDX-License-Identifier: Apache-2.0
//
// Time and memory of one optimizer step under one strategy.

#ifndef SHARDSMITH_COST_STEPESTIMATE_H
#define SHARDSMITH_COST_STEPESTIMATE_H

#include "shardsmith/Cost/UnitCosts.h"

#include <span>

namespace shardsmith {

/// Where the busiest rank's time goes; the parts add up to the step.
struct TimeSplit {
  /// Kernels of forward and backward passes, without recomputation.
  Nanoseconds compute;
  Nanoseconds recompute;
  /// Communication that compute does not hide.
  Nanoseconds tensor, context, expert, data, pipeline;
  /// Waiting for other stages.
  Nanoseconds bubble;
  Nanoseconds optimizer;
  /// Waiting for the slowest of many ranks, and constant time per step.
  Nanoseconds straggler, fixed;

  Nanoseconds total() const;
  bool operator==(const TimeSplit &) const = default;
};

/// Peak memory of one rank; the parts add up to the peak.
struct MemorySplit {
  Bytes parameters, gradients, optimizerState;
  /// Saved for the backward pass by all micro-batches in flight.
  Bytes activations;
  /// The largest unit's own needs: its transients, gathered parameters.
  Bytes workspace;
  /// Buffers of collectives.
  Bytes communication;
  /// Allocator, context, fragmentation.
  Bytes overhead;

  Bytes total() const;
  bool operator==(const MemorySplit &) const = default;
};

struct StageEstimate {
  /// Of one micro-batch.
  Nanoseconds forward, backward;
  /// Micro-batches in flight at the peak.
  int64_t inFlight = 1;
  MemorySplit memory;
  Bytes memoryLimit;

  bool operator==(const StageEstimate &) const = default;
};

struct StepEstimate {
  TimeSplit time;
  /// Per pipeline rank.
  std::vector<StageEstimate> ranks;
  /// The rank whose memory is nearest to its limit or furthest above.
  size_t fullestRank = 0;
  /// Half width of the interval around the step time, as a fraction, and where
  /// the figures come from.
  double uncertainty = 0;
  Provenance provenance = Provenance::Datasheet;

  Nanoseconds step() const { return time.total(); }
  bool fits() const;
  bool operator==(const StepEstimate &) const = default;
};

struct EstimateOptions {
  /// Share of each device's memory that stays free.
  double memoryMargin = 0.10;
};

/// Everything prices depend on besides the strategy. All must outlive it.
struct CostContext {
  const workload::Workload &workload;
  const ClusterTopology &topology;
  const StackProfile &profile;
  EstimateOptions options = {};
};

/// What the units of one stage add up to on one rank, for one micro-batch.
struct StageWork {
  /// Kernels, without recomputation.
  Nanoseconds forward, backwardInput, backwardWeight;
  /// What the choices of recomputation add to the backward pass.
  Nanoseconds recompute;
  UnitCommunication forwardCommunication, backwardCommunication;
  /// From forward to backward.
  Bytes saved;
  /// Of the unit that needs most.
  Bytes transient;
  int64_t denseParameters = 0, expertParameters = 0;
  /// Of the unit that has most; what ZeRO-3 gathers at a time.
  int64_t largestUnitParameters = 0;
  /// Of the last unit.
  Bytes outputBytes;

  /// `count` equal units behind those that are there.
  void append(const UnitCosts &unit, Recompute choice, int64_t count = 1);
  bool operator==(const StageWork &) const = default;
};

/// The step of a strategy whose stages and layouts are still open: a function
/// of the work of its stages. `estimateStep` sums up the stages and asks this;
/// the search asks this for stages it has never written down. The step grows
/// with every number of every stage's work.
class StepModel {
public:
  /// Of `outer` neither `stages` nor `layouts` are read.
  StepModel(const CostContext &context, const Strategy &outer);

  /// Peak memory of pipeline rank `rank` whose stages do this work; `pool` is
  /// the kind of device.
  StageEstimate rank(int64_t rank, unsigned pool,
                     std::span<const StageWork> stages) const;
  /// Stages in the order of the chain, one pool per stage.
  StepEstimate step(std::span<const StageWork> stages,
                    std::span<const unsigned> pools) const;
  /// Time only.
  TimeSplit time(std::span<const StageWork> stages,
                 std::span<const unsigned> pools) const;

private:
  const CostContext &context;
  Strategy outer;
};

/// The setting in which the strategy runs a block on pool `pool`.
UnitSetting unitSetting(const CostContext &context, const Strategy &strategy,
                        unsigned pool);

/// The strategy must satisfy `Strategy::verify`.
StepEstimate estimateStep(const CostContext &context, const Strategy &strategy);
/// The same with units that are priced already, per pool and block.
StepEstimate
estimateStep(const CostContext &context, const Strategy &strategy,
             const std::vector<std::vector<UnitCosts>> &unitsOfPool);

} // namespace shardsmith

#endif // SHARDSMITH_COST_STEPESTIMATE_H
