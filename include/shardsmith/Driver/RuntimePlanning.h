// SPDX-License-Identifier: Apache-2.0
//
// The best plan that another runtime can run. Its space is the union of a few
// spaces that the search knows; each is searched, and of the plans found the
// fastest that the runtime's files can say is taken, with the layouts that the
// runtime chooses by itself:
//
//     search of each space ─▶ plans ─▶ adapted, priced ─▶ sayable? best
//               ▲                                           │
//               └──────── no plans that cost more ──────────┘
//
// The least bound of the searches is a bound on all of them.

#ifndef SHARDSMITH_DRIVER_RUNTIMEPLANNING_H
#define SHARDSMITH_DRIVER_RUNTIMEPLANNING_H

#include "shardsmith/Driver/PlanningInputs.h"
#include "shardsmith/Driver/Runtimes.h"

#include <functional>

namespace shardsmith {

/// What a runtime runs, or why it runs none.
struct RuntimePlan {
  /// Its plans are adapted; the first is the best one. Empty if there is none.
  SearchResult result;
  /// The question that this plan answers: the user's, with the constraints of
  /// the space that it was found in.
  PlanningRequest request;
  /// Of the first plan.
  emit::Emission emission;
  std::vector<emit::Change> changes;
  /// Why there is none: what the fastest plan met could not be said in, or what
  /// no space was found in.
  std::string obstacle;
  ExitCode obstacleCode = ExitCode::Success;
};

/// In what a search for a runtime's plan is more lenient than the runtime, for
/// questions about what it could run.
struct RuntimeLeniency {
  /// Plans that the runtime's files need not be able to say; none if null. It
  /// may be called when the search is over.
  std::function<bool(const Strategy &)> mayBeUnsaid;
  /// Whether plans stay as they were found, and are not adapted.
  bool keepsForm = false;
  /// Plans that take longer are of no use.
  Nanoseconds mostTime = Nanoseconds::saturated();
  /// Whether it is looked for why nothing fits, and said that a search came to
  /// no end.
  bool explains = true;
  /// The part of the time that the user has given and that is left.
  double timeShare = 1;
};

RuntimePlan planForRuntime(const std::shared_ptr<const PlanningInputs> &inputs,
                           const emit::ModelNames &names,
                           const RuntimeDescription &runtime,
                           const PlanningRequest &request,
                           const RuntimeLeniency &leniency = {});

/// `4.3 % slower: context communication +259.7 ms`
std::string whyBehind(const StepEstimate &first, const StepEstimate &other);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_RUNTIMEPLANNING_H
