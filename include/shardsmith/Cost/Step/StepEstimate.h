// SPDX-License-Identifier: Apache-2.0
//
// Time and memory of one optimizer step under one strategy, itemised.

#ifndef SHARDSMITH_COST_STEP_STEPESTIMATE_H
#define SHARDSMITH_COST_STEP_STEPESTIMATE_H

#include "shardsmith/Cost/Units/UnitCosts.h"

namespace shardsmith {

/// Where the busiest rank's time goes; the parts add up to the step. Exchanges
/// inside of units are there by axis.
struct TimeSplit : UnitCommunication {
  /// Kernels of forward and backward passes, without recomputation.
  Nanoseconds compute;
  Nanoseconds recompute;
  /// Communication that compute does not hide.
  Nanoseconds data, pipeline;
  /// Time in which the rank waits for other stages.
  Nanoseconds bubble;
  Nanoseconds optimizer;
  /// Time in which ranks wait for the slowest of many, and constant time per
  /// step.
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
  /// Times of one micro-batch.
  Nanoseconds forward, backward;
  /// Micro-batches in flight at the peak.
  int64_t inFlight = 1;
  MemorySplit memory;
  Bytes memoryLimit;

  bool operator==(const StageEstimate &) const = default;
};

struct StepEstimate {
  TimeSplit time;
  /// One per pipeline rank.
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

/// Everything that prices depend on besides the strategy. What it refers to
/// must outlive it.
struct CostContext {
  const workload::Workload &workload;
  const ClusterTopology &topology;
  const StackProfile &profile;
  EstimateOptions options = {};
};

/// The setting in which the strategy runs a block on pool `pool`.
UnitSetting unitSetting(const CostContext &context, const Strategy &strategy,
                        unsigned pool);
/// Of it what the device order does not decide: no links.
UnitSetting unitSetting(const Strategy &strategy);

/// What a unit of each block costs on pool `pool` in the strategy's layouts.
std::vector<UnitCosts> unitPrices(const CostContext &context,
                                  const Strategy &strategy, unsigned pool);

/// The exchanges that these prices count, one by one.
std::vector<UnitExchanges> unitExchanges(const CostContext &context,
                                         const Strategy &strategy,
                                         unsigned pool);

/// The strategy must satisfy `Strategy::verify`.
StepEstimate estimateStep(const CostContext &context, const Strategy &strategy);
/// The same with units that are priced already, per pool and block.
StepEstimate
estimateStep(const CostContext &context, const Strategy &strategy,
             const std::vector<std::vector<UnitCosts>> &unitsOfPool);

class StepModel;
/// The step of the replicas on `pool` alone, if each runs so many
/// micro-batches: that of the strategy is the longest of its replicas. All
/// pipeline ranks of a replica are on `pool`; `model` is that of the strategy.
Nanoseconds
estimateReplica(const CostContext &context, const Strategy &strategy,
                const StepModel &model, unsigned pool, int64_t microBatches,
                const std::vector<std::vector<UnitCosts>> &unitsOfPool);

/// Passes of micro-batches through stages that an estimate plays.
int64_t playedPasses(int64_t stages, int64_t microBatches);

} // namespace shardsmith

#endif // SHARDSMITH_COST_STEP_STEPESTIMATE_H
