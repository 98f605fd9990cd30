// SPDX-License-Identifier: Apache-2.0
//
// Memory of a pipeline rank. Formulas: docs/step-time.md, section 7.

#include "../Scale.h"
#include "shardsmith/Cost/Step/StepModel.h"
#include "shardsmith/Strategy/ScheduleTraits.h"

#include <algorithm>

namespace shardsmith {

namespace {

/// The micro-batches whose activations a rank holds at its peak: `chunks` ÷
/// `stages`, since a chunk is the pass of one of its stages.
struct InFlight {
  int64_t chunks, stages;
};

InFlight inFlight(const Strategy &strategy, int64_t rank, int64_t batches) {
  const ScheduleTraits &traits = traitsOf(strategy.schedule);
  int64_t stages = traits.stagesPerRank.value_or(strategy.virtualStages);
  return {traits.inFlight({strategy.pipeline, stages, batches}, rank), stages};
}

/// Parameters of 32 bits need no copy in 32 bits among the state.
double stateBytes(const CostContext &context) {
  constexpr double copy = 4;
  double bytes = context.profile.stateBytesPerParameter;
  bool isCopied = workload::bitsOf(context.workload.computeType) < 32;
  return isCopied ? bytes : std::max(bytes - copy, 0.0);
}

/// The activations of all micro-batches in flight, if the stages of a rank save
/// `saved` per micro-batch.
Bytes activationBytes(Bytes saved, InFlight flight, double factor) {
  return bytesOf(share(saved, flight.chunks, flight.stages).count(), factor);
}

} // namespace

double StepModel::splitBytes(const CostContext &context, int zeroStage) {
  double bytes = 0;
  if (zeroStage >= 1)
    bytes += stateBytes(context);
  if (zeroStage >= 2)
    bytes += context.profile.gradientBytesPerParameter;
  if (zeroStage >= 3)
    bytes += parameterBytes(context);
  return bytes;
}

Bytes StepModel::leastHeld(const CostContext &context) {
  return bytesOf(context.workload.parameterCount(), splitBytes(context, 3));
}

Bytes StepModel::overheadBytes(const CostContext &context) {
  return bytesOf(1 << 30, context.profile.constantGib);
}

MemorySplit StepModel::held(unsigned pool, const StageWork &work) const {
  const PoolPrices &prices = (*pools)[pool];
  // Bytes of something that has `bytesEach` per parameter, and that ZeRO splits
  // from `zeroStage` on.
  auto kept = [&](int zeroStage, double bytesEach) {
    bool isSplit = outer.zeroStage >= zeroStage;
    int64_t dense = isSplit ? prices.dense.shards.members : 1;
    int64_t expert = isSplit ? prices.expert.shards.members : 1;
    return bytesOf(ceilDivide(work.denseParameters, dense), bytesEach) +
           bytesOf(ceilDivide(work.expertParameters, expert), bytesEach);
  };
  MemorySplit memory;
  memory.parameters = kept(3, parameterBytes(context));
  memory.gradients = kept(2, context.profile.gradientBytesPerParameter);
  memory.optimizerState = kept(1, stateBytes(context));
  return memory;
}

bool StepModel::haveRoom(unsigned pool, const StageWork &work) const {
  Bytes room = memoryLimit(pool) - overheadBytes(context);
  return held(pool, work).total() <= room * outer.pipeline;
}

/// While one unit's parameters are in use those of the next arrive.
Bytes StepModel::workspaceBytes(Bytes transient,
                                int64_t largestUnitParameters) const {
  Bytes bytes = transient;
  if (outer.zeroStage == 3)
    bytes += bytesOf(largestUnitParameters, 2 * parameterBytes(context));
  if (outer.zeroStage >= 2)
    bytes += bytesOf(largestUnitParameters,
                     context.profile.gradientBytesPerParameter);
  return bytes;
}

StageEstimate StepModel::memory(int64_t rank, unsigned pool,
                                const StageWork &work) const {
  const StackProfile &profile = context.profile;
  StageEstimate estimate;
  estimate.forward = work.forward + work.forwardCommunication.sum();
  estimate.backward = work.backwardInput + work.backwardWeight +
                      work.recompute + work.backwardCommunication.sum();
  MemorySplit &memory = estimate.memory;
  memory = held(pool, work);
  InFlight flight = inFlight(outer, rank, microBatchCount);
  estimate.inFlight = ceilDivide(flight.chunks, flight.stages);
  memory.activations =
      activationBytes(work.saved, flight, profile.activationFactor);
  memory.workspace = workspaceBytes(work.transient, work.largestUnitParameters);
  if (outer.pipeline > 1)
    memory.communication = work.outputBytes * 2;
  memory.overhead = overheadBytes(context);
  estimate.memoryLimit = memoryLimit(pool);
  return estimate;
}

std::optional<Bytes> StepModel::savedBudget(int64_t rank, unsigned pool,
                                            StageWork work) const {
  work.saved = {};
  StageEstimate rest = this->memory(rank, pool, work);
  Bytes room = rest.memoryLimit - rest.memory.total();
  if (room < Bytes(0))
    return std::nullopt;
  InFlight flight = inFlight(outer, rank, microBatchCount);
  double factor = context.profile.activationFactor;
  double each = factor * double(flight.chunks) / double(flight.stages);
  // A guess, and as far from it as rounding may be.
  if (!(double(room.count()) < 9e18 * each))
    return Bytes::saturated();
  Bytes budget(int64_t(double(room.count()) / each));
  while (activationBytes(budget + Bytes(1), flight, factor) <= room)
    budget += Bytes(1);
  while (activationBytes(budget, flight, factor) > room)
    budget = budget - Bytes(1);
  return budget;
}

} // namespace shardsmith
