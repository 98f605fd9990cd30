// SPDX-License-Identifier: Apache-2.0
//
// A plan in the terms of Megatron Core, whose flags and whose recipes in
// NVIDIA-NeMo/Megatron-Bridge say the same.

#ifndef SHARDSMITH_LIB_EMIT_MEGATRONPLAN_H
#define SHARDSMITH_LIB_EMIT_MEGATRONPLAN_H

#include "Decisions.h"

namespace shardsmith::emit {

struct MegatronPlan {
  /// Stages in Megatron's letters; empty without a pipeline.
  std::string layout;
  bool sequenceParallel = false;
  /// Ranks are numbered tensor, context, pipeline, data.
  bool pipelineBeforeData = false;
  bool allToAllContext = false;
  /// Of the matrices of experts; nothing without an expert axis.
  std::optional<int64_t> expertTensor;
  Recompute recompute = Recompute::None;
  /// Layers of each stage, from its first one on, that are computed again;
  /// nothing if all are.
  std::optional<int64_t> recomputedLayers;
  /// Copies of what ZeRO splits.
  int64_t optimizerInstances = 1;
};

/// Adds what cannot be said to the refusals; the result is for use only where
/// there are none.
MegatronPlan megatronPlan(const EmitInput &input, Refusals &refusals);

/// `Et*3|(tt|)*6ttL`: embedding, layers and loss by stage. Equal stages in a
/// row, and layers in a row from four on, are written once with their number.
std::string megatronLayout(const std::vector<StageContent> &stages);

/// `no_shard`, `optim`, `optim_grads`, `optim_grads_params`
std::string_view megatronSharding(int zeroStage);

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_MEGATRONPLAN_H
