// SPDX-License-Identifier: Apache-2.0
//
// What is decided, predicted and proved about the values of one train step on
// one cluster: `layouts/train_step`, `prediction/train_step` and
// `search/layouts` of a plan.json (docs/plan-file.md). Programs are built from
// it. docs/planner.md, section 8, explains how it is found.

#ifndef SHARDSMITH_PLANFILES_STEPPLAN_H
#define SHARDSMITH_PLANFILES_STEPPLAN_H

#include "shardsmith/Support/Quantity.h"

#include <optional>
#include <string>
#include <vector>

namespace shardsmith {

/// Something a plan was made for: another hash means another thing.
struct PlanInput {
  std::string name;
  std::string hash;

  bool operator==(const PlanInput &) const = default;
};

/// An axis of a mesh with its size.
struct FixedAxis {
  std::string name;
  int64_t size = 1;

  bool operator==(const FixedAxis &) const = default;
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

/// Traffic of all collectives of one kind over the same axes, of the first of
/// the ranks that run a program.
struct CollectiveTotal {
  std::string kind;
  std::vector<std::string> axes;
  int64_t calls = 0;
  Bytes bytes;
  /// The bytes of each of these ranks, in order; empty where they are equal.
  std::vector<Bytes> ofRanks;

  bool operator==(const CollectiveTotal &) const = default;
};

/// What the ranks with one coordinate along the axis of stages exchange and
/// hold.
struct PipelineRankPrediction {
  std::vector<CollectiveTotal> collectives;
  Bytes peak;

  bool operator==(const PipelineRankPrediction &) const = default;
};

/// What a rank of the train step computes, exchanges and holds.
struct StepPrediction {
  /// "search" while these are the planner's estimates, "program" once traffic
  /// and memory are counted on the partitioned program.
  std::string source = "search";
  /// What the plan promises: the step of its strategy; without one the cost of
  /// the layouts; with a schedule given in place of that of the strategy's
  /// family, the step as that one is played.
  Nanoseconds step;
  /// Of the first rank.
  std::vector<CollectiveTotal> collectives;
  /// Of the rank with the largest arena.
  Bytes parameters;
  Bytes optimizerState;
  Bytes gradients;
  Bytes activations;
  Bytes batch;
  Bytes peak;
  /// By coordinate along the axis of stages, once they are counted; empty where
  /// all ranks run one program.
  std::vector<PipelineRankPrediction> pipelineRanks;

  bool operator==(const StepPrediction &) const = default;
};

/// What became of one mesh that the search for layouts looked at.
struct TriedMesh {
  std::vector<FixedAxis> axes;
  std::string proof;
  /// Nanoseconds; nothing where no plan was found on it.
  std::optional<int64_t> cost;
  int64_t lowerBound = 0;

  bool operator==(const TriedMesh &) const = default;
};

struct LayoutSearchRecord {
  /// Nanoseconds: what layouts are compared by. It is no second prediction,
  /// because it adds up ops and collectives one after the other, without
  /// overlap and fused attention.
  int64_t cost = 0;
  /// Its parts: of all ops, and of all collectives.
  Nanoseconds compute;
  Nanoseconds communication;
  int64_t lowerBound = 0;
  double gap = 0;
  /// `exact` or `bounded`.
  std::string proof;
  std::vector<TriedMesh> meshes;
  /// Ops of the step, and how many decisions are left of them because
  /// repeated blocks are decided once.
  int64_t ops = 0;
  int64_t decisions = 0;

  bool operator==(const LayoutSearchRecord &) const = default;
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

struct StepPlan {
  std::string toolVersion;
  PlanInput model, cluster, profile;
  std::vector<FixedAxis> mesh;
  /// Per step; decisions are about the ops of one.
  int64_t microBatches = 1;
  /// Where data ranks have different numbers of micro-batches: that of each, in
  /// the order of their parts of the batch, `microBatches` being the largest.
  std::vector<int64_t> shares;
  /// Of a pipeline, as a table (Schedule/ScheduleTable.h); empty if there is
  /// none.
  std::string schedule;
  std::vector<PlannedTensor> arguments;
  /// A hash over the ops of the train step in program order.
  std::string stepHash;
  /// The distinct choices of ops, each once.
  std::vector<OpChoice> choices;
  /// For each op of the train step, in program order, its position in
  /// `choices`.
  std::vector<int64_t> opChoices;
  StepPrediction predicted;
  LayoutSearchRecord search;

  /// The product of the mesh's sizes.
  int64_t deviceCount() const;
  /// Sixteen hexadecimal digits over model, cluster, mesh and decisions.
  std::string hash() const;
  bool operator==(const StepPlan &) const = default;
};

} // namespace shardsmith

#endif // SHARDSMITH_PLANFILES_STEPPLAN_H
