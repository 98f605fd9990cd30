// SPDX-License-Identifier: Apache-2.0
//
// What the units of a stage, and the stages of a pipeline rank, add up to.

#ifndef SHARDSMITH_COST_STEP_STAGEWORK_H
#define SHARDSMITH_COST_STEP_STAGEWORK_H

#include "shardsmith/Cost/Paths/PipelineLinks.h"
#include "shardsmith/Cost/Units/UnitCosts.h"

#include <span>

namespace shardsmith {

/// What a unit needs while it runs; one that is recomputed holds everything
/// while its backward pass runs.
Bytes transientOf(const UnitCosts &unit, Recompute choice);
/// Dense ones and those of experts, shared ones too; saturates.
int64_t parametersOf(const UnitCosts &unit);

/// Units of a rank that have that of a group of shared parameters.
struct SharedUse {
  SharedParameters parameters;
  int64_t units = 0;

  bool operator==(const SharedUse &) const = default;
};

/// What the units of one stage add up to on one rank, for one micro-batch.
struct StageWork {
  /// Kernels, without recomputation.
  Nanoseconds forward, backwardInput, backwardWeight;
  /// What recomputation adds to the backward pass.
  Nanoseconds recompute;
  UnitCommunication forwardCommunication, backwardCommunication;
  /// From forward to backward.
  Bytes saved;
  /// Of the unit that needs most while it runs.
  Bytes transient;
  /// Shared ones are counted as `ParameterSharing.h` says: no group more often
  /// than it has tensors.
  int64_t denseParameters = 0, expertParameters = 0, partialParameters = 0;
  /// What of that is shared, and by how many units.
  std::vector<SharedUse> shared;
  /// The same as if no units shared any.
  int64_t denseUses = 0, expertUses = 0;
  /// Of the unit that has most: what ZeRO-3 gathers at a time.
  int64_t largestUnitParameters = 0;
  /// Of the last unit.
  Bytes outputBytes;

  /// `count` equal units behind those that are there.
  void append(const UnitCosts &unit, Recompute choice, int64_t count = 1);
  bool operator==(const StageWork &) const = default;

private:
  void addShared(const SharedUse &use);
};

/// `units`: costs per block, on the stage's kind of device.
StageWork workOf(const workload::Workload &workload, const Stage &stage,
                 std::span<const UnitCosts> units);

/// What one pipeline rank does for one micro-batch.
struct RankWork {
  unsigned pool = 0;
  /// Of all its stages.
  StageWork sum;
  /// What they hand on, one per stage that has a successor.
  std::vector<PipelineMessage> messages;
};

/// Per pipeline rank. `pools`: of each rank; `links` are theirs, and must
/// outlive the result. `unitsOfPool`: per pool and block.
std::vector<RankWork>
workOfRanks(const workload::Workload &workload, const Strategy &strategy,
            std::span<const unsigned> pools, const PipelineLinks &links,
            const std::vector<std::vector<UnitCosts>> &unitsOfPool);

} // namespace shardsmith

#endif // SHARDSMITH_COST_STEP_STAGEWORK_H
