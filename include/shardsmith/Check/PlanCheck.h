// SPDX-License-Identifier: Apache-2.0
//
// The independent checker of plans. It reads plan.json by itself and derives
// again, from the model, the cluster and the stack profile, everything that
// the plan says of itself: that it is legal, what every rank holds in memory,
// what is communicated, that the schedule runs, and what a step costs. It
// shares the readers of models and clusters and the times of single kernels
// and collectives with the planner, and nothing else: docs/check.md.

#ifndef SHARDSMITH_CHECK_PLANCHECK_H
#define SHARDSMITH_CHECK_PLANCHECK_H

#include "shardsmith/Cluster/Cluster.h"
#include "shardsmith/Cost/Profiles/StackProfile.h"
#include "shardsmith/Strategy/Strategy.h"
#include "shardsmith/Workload/Workload.h"

#include <optional>
#include <string>
#include <vector>

namespace shardsmith::check {

/// Something that is not as the plan says.
struct Finding {
  /// JSON pointer into the plan.
  std::string item;
  std::string claimed;
  std::string recomputed;
  /// The rule that is broken, where there are no two values to compare.
  std::string reason;

  std::string str() const;
};

/// Decisions as an annotated graph shows them (`readAnnotatedGraph`).
struct GraphDecisions {
  /// Axes with their sizes, major first.
  std::vector<std::pair<std::string, int64_t>> mesh;
  /// Nothing where no attention shows it.
  std::optional<ContextMethod> contextMethod;
  struct Block {
    std::vector<OpSplit> ops;
    /// Nothing for tensors that no value of the graph is.
    std::vector<std::optional<TensorLayout>> tensors;
    /// Where the file says so, for both.
    std::vector<std::string> opPlaces, tensorPlaces;
  };
  std::vector<Block> blocks;
  struct Unit {
    int64_t stage = 0;
    Recompute recompute = Recompute::None;
    /// Where it begins in the file.
    std::string place;
  };
  std::vector<Unit> units;
  /// What contradicts the rest of the graph; items are places in its file.
  std::vector<Finding> findings;
  /// Annotations that were compared.
  int64_t compared = 0;
};

/// What the plan claims to be made for.
struct CheckInputs {
  const workload::Workload &workload;
  const Cluster &cluster;
  const StackProfile &profile;
  /// If there is one, it must agree with the plan, and time and memory are
  /// computed from what it says.
  const GraphDecisions *graph = nullptr;
};

/// Collectives of one kind that a rank takes part in during one step.
struct CollectiveUse {
  /// `tensor`, `context`, `expert`, `data`, `pipeline`.
  std::string axis;
  std::string operation;
  int64_t members = 1;
  int64_t count = 0;
  /// Of the whole tensor, all of them together.
  Bytes bytes;
};

/// What a plan says of a train step, by place; `checkProgram` looks at it.
inline constexpr const char *kTrainStepParts[] = {
    "/layouts/train_step", "/prediction/train_step", "/search/layouts"};

struct CheckReport {
  std::vector<Finding> findings;
  /// Numbers of the plan that were computed again and compared.
  int64_t compared = 0;
  Nanoseconds claimedStep, recomputedStep;
  /// Parts of the file that nothing was compared with, as JSON pointers.
  std::vector<std::string> notLookedAt;
  /// Of the ranks of every pipeline rank, in order.
  std::vector<std::vector<CollectiveUse>> collectives;

  bool accepts() const { return findings.empty(); }
};

/// Checks the text of a plan.json. Fails with `error`, which names the place,
/// if it is not a plan file at all; everything else is a finding.
std::optional<CheckReport> checkPlan(std::string_view planJson,
                                     const CheckInputs &inputs,
                                     std::string &error);

} // namespace shardsmith::check

#endif // SHARDSMITH_CHECK_PLANCHECK_H
