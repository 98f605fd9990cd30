// SPDX-License-Identifier: Apache-2.0
//
// A plan whose degrees are given, as published runs state them. What is left to
// decide follows the customs of such runs: stages are equal, the first and the
// last also hold embedding and head, and layouts are the fastest for the given
// tensor axis.

#ifndef SHARDSMITH_PLAN_FIXED_FIXEDPLAN_H
#define SHARDSMITH_PLAN_FIXED_FIXEDPLAN_H

#include "shardsmith/Cost/Step/StepEstimate.h"

#include <optional>
#include <string>

namespace shardsmith {

struct FixedPlan : Degrees {
  int zeroStage = 0;
  /// The number of ranks that share one copy, as in `Strategy::zeroGroup`.
  int64_t zeroGroup = 0;
  int64_t microBatch = 1;
  /// Every `recomputeEvery`-th layer, from the first one on, is recomputed in
  /// this way; others keep everything.
  Recompute recompute = Recompute::None;
  int64_t recomputeEvery = 1;
  /// Whether positions may be split over the tensor axis between products.
  bool sequenceParallel = false;

  bool operator==(const FixedPlan &) const = default;
};

/// First unit of every stage, and the number of units at the end.
///
///  - Equal numbers of layers where they divide: embedding joins the first
///    stage, the head the last.
///  - Else equal numbers of units, embedding and head counted as layers, where
///    these divide.
///  - Else the first stages get one layer more.
///
/// Empty if there are fewer layers than stages.
std::vector<int64_t> equalStages(const workload::Workload &workload,
                                 int64_t stages);

/// The strategy of the plan. Fails with a sentence in `error` if the plan does
/// not suit the model or the cluster.
std::optional<Strategy> strategyOf(const CostContext &context,
                                   const FixedPlan &plan, std::string &error);

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_FIXED_FIXEDPLAN_H
