// SPDX-License-Identifier: Apache-2.0
//
// What a plan says of the program that is built from it.

#ifndef SHARDSMITH_LIB_CHECK_PROGRAM_PROGRAMCLAIMS_H
#define SHARDSMITH_LIB_CHECK_PROGRAM_PROGRAMCLAIMS_H

#include "../Findings.h"
#include "../JsonView.h"
#include "shardsmith/Check/ProgramCheck.h"

#include <map>

namespace shardsmith::check {

struct ClaimedAxis {
  std::string name;
  int64_t size = 1;

  bool operator==(const ClaimedAxis &) const = default;
};

struct ClaimedTensor {
  std::string name, role, type;
  std::vector<int64_t> shape;
  std::vector<std::vector<std::string>> axes;
};

struct ClaimedChoice {
  std::string factorAxes;
  /// Empty, or one per result.
  std::vector<std::string> results;
};

struct ClaimedPrediction {
  std::string source;
  int64_t bytes = 0;
  /// Of a pipeline whose schedule is not that of the strategy's family, as it
  /// is played.
  std::optional<int64_t> scheduled;
  std::vector<ProgramCounts::Traffic> traffic;
  std::map<std::string, int64_t> memory;
  std::vector<ProgramCounts::PipelineRank> pipelineRanks;
};

struct ClaimedMesh {
  std::vector<ClaimedAxis> axes;
  std::string proof;
  std::optional<int64_t> cost;
  std::optional<int64_t> bound;
};

struct ProgramClaims {
  std::string modelName, modelHash;
  std::vector<ClaimedAxis> mesh;
  std::string stepHash;
  int64_t microBatches = 1;
  /// Of each data rank, where they differ.
  std::vector<int64_t> shares;
  /// A table; empty where there is no pipeline.
  std::string schedule;
  std::vector<ClaimedTensor> arguments;
  ClaimedPrediction predicted;
  /// Of the whole plan.
  int64_t step = 0;
  /// Of the search for layouts.
  int64_t cost = 0, compute = 0, communication = 0, bound = 0, ops = 0;
  double gap = 0;
  std::string proof;
  std::vector<ClaimedMesh> meshes;
  std::vector<ClaimedChoice> choices;
  /// Per op a position in `choices`.
  std::vector<int64_t> opChoices;
  /// Of the plan, as programs record it.
  std::string hash;

  /// What the layouts follow from; nothing where there is no strategy.
  struct OfStrategy {
    int64_t tensorRanks = 1, otherRanks = 1;
    int64_t pipeline = 1, virtualStages = 1, stages = 1, microBatches = 1;
    std::vector<int64_t> shares;
    /// Of schedules, by name.
    std::string family;
  };
  std::optional<OfStrategy> strategy;
  /// What the file says of its search as a whole, where it is that for layouts
  /// because there is no strategy.
  struct OnlySearch {
    std::string objective, proof;
    int64_t cost = 0, bound = 0;
    double gap = 0;
    /// The option `fix`; empty if it is not given.
    std::string fix;
  };
  std::optional<OnlySearch> onlySearch;

  /// What the program's manifest says it takes.
  int64_t promisedStep() const { return predicted.scheduled.value_or(step); }
};

/// Throws Malformed; also where there is nothing about a train step.
ProgramClaims readProgramClaims(std::string_view planJson);

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_PROGRAM_PROGRAMCLAIMS_H
