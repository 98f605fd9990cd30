// SPDX-License-Identifier: Apache-2.0
//
// The work of a stage and of a pipeline rank: sums over units, and all that the
// times and the memory of a rank depend on.

#ifndef SHARDSMITH_COST_STEP_STAGEWORK_H
#define SHARDSMITH_COST_STEP_STAGEWORK_H

#include "shardsmith/Cost/Paths/PipelineLinks.h"
#include "shardsmith/Cost/Units/UnitCosts.h"

#include <span>

namespace shardsmith {

/// The bytes that a unit needs only while it runs. A unit that is recomputed
/// holds everything while its backward pass runs.
Bytes transientOf(const UnitCosts &unit, Recompute choice);
/// All parameters of the unit: dense, of experts, and shared; saturates.
int64_t parametersOf(const UnitCosts &unit);

/// Shared parameters of one group, and how many units of the rank have them.
struct SharedUse {
  SharedParameters parameters;
  int64_t units = 0;

  bool operator==(const SharedUse &) const = default;
};

/// Parameters of one group that other ranks of the pipeline may hold as well.
struct SharedHolding {
  /// As in `workload::SharedTensors`.
  unsigned group = 0;
  /// The units that use the group: no more ranks hold parts of it.
  int64_t uses = 0;
  int64_t dense = 0, expert = 0;
};

/// The sums over the units of one stage on one rank, for one micro-batch.
struct StageWork {
  /// The kernels of each pass, without recomputation.
  Nanoseconds forward, backwardInput, backwardWeight;
  /// The time that recomputation adds to the backward pass.
  Nanoseconds recompute;
  UnitCommunication forwardCommunication, backwardCommunication;
  /// The bytes that are saved from the forward to the backward pass.
  Bytes saved;
  /// The transient of the unit that needs most while it runs.
  Bytes transient;
  /// Parameters on the rank. Shared ones count as ParameterSharing.h says: no
  /// group more often than it has tensors.
  int64_t denseParameters = 0, expertParameters = 0, partialParameters = 0;
  /// Which of these parameters are shared, and by how many units.
  std::vector<SharedUse> shared;
  /// Parameters counted once per unit that uses them, shared or not.
  int64_t denseUses = 0, expertUses = 0;
  /// The parameters of the unit that has most of them, which ZeRO-3 gathers at
  /// a time.
  int64_t largestUnitParameters = 0;
  /// What the last unit hands to the next stage.
  Bytes outputBytes;

  /// Adds `count` equal units behind those of the stage.
  void append(const UnitCosts &unit, Recompute choice, int64_t count = 1);
  /// What a rank with this work holds together with others, one entry per
  /// group: nothing of groups all of whose units it has.
  std::vector<SharedHolding> heldWithOthers() const;
  bool operator==(const StageWork &) const = default;

private:
  void addShared(const SharedUse &use);
};

/// The work of a stage. `units` are the costs per block on the device kind of
/// the stage.
StageWork workOf(const workload::Workload &workload, const Stage &stage,
                 std::span<const UnitCosts> units);

/// The work of one pipeline rank for one micro-batch.
struct RankWork {
  unsigned pool = 0;
  /// The sum over all stages of the rank.
  StageWork sum;
  /// One message per stage that has a successor.
  std::vector<PipelineMessage> messages;
};

/// The work of every pipeline rank. `pools` has the pool of each rank, `links`
/// are the links of that pipeline and must outlive the result, and
/// `unitsOfPool` has the costs per pool and block.
std::vector<RankWork>
workOfRanks(const workload::Workload &workload, const Strategy &strategy,
            std::span<const unsigned> pools, const PipelineLinks &links,
            const std::vector<std::vector<UnitCosts>> &unitsOfPool);

} // namespace shardsmith

#endif // SHARDSMITH_COST_STEP_STAGEWORK_H
