// SPDX-License-Identifier: Apache-2.0
//
// What a search for the layouts of a train step is asked. Its answer is a
// `StepPlan`; docs/planner.md, section 8, explains how it is found.

#ifndef SHARDSMITH_VALUELAYOUTS_PLAN_H
#define SHARDSMITH_VALUELAYOUTS_PLAN_H

#include "shardsmith/PlanFiles/StepPlan.h"
#include "shardsmith/Sharding/Mesh.h"
#include "shardsmith/Support/CodedError.h"

#include <functional>

namespace shardsmith {

/// Symbol of the mesh that plans annotate.
inline constexpr const char *planMeshName = "mesh";

/// What a user may ask of a mesh axis; free axes have none of these names.
enum class AxisRole {
  Free,
  /// Batch arguments are split over it, parameters and states are not.
  Data,
  /// Batch arguments are split over it, and so is every parameter and state
  /// that can be (ZeRO-3).
  FullySharded,
  /// Batch arguments are split over it, and every state that can be;
  /// parameters are not (ZeRO-1 and ZeRO-2, which differ only where there are
  /// several micro-batches).
  ShardedStates,
  /// Batch arguments are not split over it.
  Tensor,
};

struct PlanOptions {
  /// Axes given by the user, major first; empty for a free search.
  std::vector<FixedAxis> fix;
  /// How many devices are used, the first ones of the cluster; 0 for all.
  int64_t devices = 0;
  /// Share of each device's memory that stays free.
  double memoryMargin = 0.10;
  /// Combinations that the whole search may look at; it ends with the best
  /// plan so far. About a second's worth; the same on every machine.
  int64_t effort = 500'000'000;
  /// Seconds after which the search ends with the best plan so far, for users
  /// in a hurry.
  double timeLimitSeconds = 60;
  /// Asked now and then; once it is true the search ends with the best plan so
  /// far. No part of a plan.
  std::function<bool()> mustStop;
};

/// The mesh of a plan.
Mesh meshOf(const StepPlan &plan);

/// Reads `data=2,tensor=2`.
llvm::Expected<std::vector<FixedAxis>> parseFixedAxes(llvm::StringRef text);
AxisRole roleOfAxis(llvm::StringRef name);
/// Whether users may ask for an axis of that name. `zero_shard` occurs only in
/// the mesh of a strategy, which says which stage of ZeRO it stands for.
bool isNameForUsers(llvm::StringRef name);

} // namespace shardsmith

#endif // SHARDSMITH_VALUELAYOUTS_PLAN_H
