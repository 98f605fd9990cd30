// SPDX-License-Identifier: Apache-2.0
//
// What each target adds: how it writes a plan, and which layouts its runtime
// chooses by itself.

#ifndef SHARDSMITH_LIB_EMIT_TARGETS_H
#define SHARDSMITH_LIB_EMIT_TARGETS_H

#include "Placement.h"
#include "RuntimeLayouts.h"

namespace shardsmith::emit {

// Each is defined in a file of its name.
void emitAccelerate(const EmitInput &input, Emission &emission);
void emitChakra(const EmitInput &input, Emission &emission);
void emitDeepSpeed(const EmitInput &input, Emission &emission);
void emitHorovod(const EmitInput &input, Emission &emission);
void emitJax(const EmitInput &input, Emission &emission);
void emitMegatron(const EmitInput &input, Emission &emission);
void emitMegatronBridge(const EmitInput &input, Emission &emission);
void emitMsccl(const EmitInput &input, Emission &emission);
void emitMXNet(const EmitInput &input, Emission &emission);
void emitNanotron(const EmitInput &input, Emission &emission);
void emitPyTorch(const EmitInput &input, Emission &emission);
void emitTensorFlow(const EmitInput &input, Emission &emission);
void emitTorchtitan(const EmitInput &input, Emission &emission);
void emitTransformers(const EmitInput &input, Emission &emission);

inline constexpr PlacementRules jaxPlacements = {.onlyEven = true,
                                                 .leavesWhole = true};
inline constexpr PlacementRules pyTorchPlacements = {};
inline constexpr PlacementRules tensorFlowPlacements = {
    .onlyEven = true, .oneAxisEach = true, .leavesWhole = true};

/// What of a model torchtitan has not; empty if it has all.
std::string torchtitanObstacle(const workload::Workload &workload);

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_TARGETS_H
