// SPDX-License-Identifier: Apache-2.0
//
// What the planner decides, predicts and proves about one train step on one
// cluster. docs/planner.md explains how it is found, docs/plan-schema.json is
// the schema of its file.

#ifndef SHARDSMITH_VALUELAYOUTS_PLAN_H
#define SHARDSMITH_VALUELAYOUTS_PLAN_H

#include "shardsmith/Sharding/Mesh.h"
#include "shardsmith/Support/CodedError.h"
#include "shardsmith/Support/Quantity.h"
#include "shardsmith/ValueLayouts/Solver/PlanProblem.h"

#include <string>
#include <vector>

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

struct FixedAxis {
  std::string name;
  int64_t size = 1;

  bool operator==(const FixedAxis &) const = default;
};

struct PlanOptions {
  /// Axes given by the user, major first; empty for a free search.
  std::vector<FixedAxis> fix;
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

/// Layout of one argument: per dimension the names of the axes that split it.
struct PlannedTensor {
  std::string name;
  std::string role;
  std::string dtype;
  std::vector<int64_t> shape;
  std::vector<std::vector<std::string>> axes;

  bool operator==(const PlannedTensor &) const = default;
};

/// Traffic of all collectives of one kind over the same axes, per rank.
struct CollectiveTotal {
  std::string kind;
  std::vector<std::string> axes;
  int64_t calls = 0;
  Bytes bytes;

  bool operator==(const CollectiveTotal &) const = default;
};

struct ProgramPrediction {
  /// "search" while these are the planner's estimates, "program" once they
  /// are counted on the partitioned program.
  std::string source = "search";
  Nanoseconds compute;
  Nanoseconds communication;
  std::vector<CollectiveTotal> collectives;
  Bytes parameters;
  Bytes optimizerState;
  Bytes gradients;
  Bytes activations;
  Bytes batch;
  Bytes peak;

  /// Of a pipeline: the step as its schedule is played, in which stages run
  /// side by side. Zero for other programs.
  Nanoseconds scheduled;

  Nanoseconds step() const {
    return scheduled > Nanoseconds(0) ? scheduled : compute + communication;
  }
  bool operator==(const ProgramPrediction &) const = default;
};

/// What became of one mesh that the search looked at.
struct TriedMesh {
  std::vector<FixedAxis> axes;
  std::string proof;
  int64_t cost = forbiddenCost;
  int64_t lowerBound = 0;

  bool operator==(const TriedMesh &) const = default;
};

struct SearchSummary {
  int64_t cost = 0;
  int64_t lowerBound = 0;
  double gap = 0;
  std::string proof;
  std::vector<TriedMesh> meshes;
  /// Ops of the step, and how many decisions are left of them because
  /// repeated blocks are decided once.
  int64_t ops = 0;
  int64_t decisions = 0;

  bool operator==(const SearchSummary &) const = default;
};

/// How an op is split and how its results are handed out.
struct OpChoice {
  /// `#smith.factor_axes<…>`
  std::string factorAxes;
  /// `#sdy.sharding<…>` per result, empty where it is the one that follows
  /// from the factor axes. Where it is not, a reshard follows the op.
  std::vector<std::string> results;

  auto operator<=>(const OpChoice &) const = default;
};

struct Plan {
  std::string modelName;
  std::string modelHash;
  std::string clusterName;
  std::string clusterHash;
  /// The profile of the prices; empty in old files, which do not name it.
  std::string profileName;
  std::string profileHash;
  std::string toolVersion;
  PlanOptions options;
  std::vector<FixedAxis> mesh;
  /// Per step; decisions are about the ops of one.
  int64_t microBatches = 1;
  /// Of a pipeline, as a table (Schedule/ScheduleTable.h); empty if there is
  /// none.
  std::string schedule;
  std::vector<PlannedTensor> tensors;
  /// A hash over the ops of the train step in program order.
  std::string stepHash;
  /// The distinct choices of ops, each once.
  std::vector<OpChoice> choices;
  /// For each op of the train step, in program order, its position in
  /// `choices`.
  std::vector<int64_t> opChoices;
  ProgramPrediction predicted;
  ProgramPrediction estimated;
  SearchSummary search;

  Mesh getMesh() const;
  /// Sixteen hexadecimal digits over model, cluster, mesh and decisions.
  std::string hash() const;
};

/// Reads `data=2,tensor=2`.
llvm::Expected<std::vector<FixedAxis>> parseFixedAxes(llvm::StringRef text);
AxisRole roleOfAxis(llvm::StringRef name);
/// Whether users may ask for an axis of that name. `zero_shard` occurs only in
/// the mesh of a strategy, which says which stage of ZeRO it stands for.
bool isNameForUsers(llvm::StringRef name);

} // namespace shardsmith

#endif // SHARDSMITH_VALUELAYOUTS_PLAN_H
