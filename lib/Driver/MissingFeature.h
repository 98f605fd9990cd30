// SPDX-License-Identifier: Apache-2.0
//
// What a runtime cannot do, and what it would gain if it could do one thing
// more. A feature is a choice that its spaces restrict, or `layouts`: that all
// plans of its spaces count, in the layouts in which the search finds them.
//
//     plans without a runtime ──▶ choices that each space denies them
//                                        │ the smallest sets
//                                        ▼
//     for each of these choices: the spaces without it ─▶ search ─▶ best plan
//                                                 ▲                   │
//                                                 └─── only faster ───┘
//
// A choice that none of these plans makes otherwise than the runtime is not
// tried, so there are a few searches, and most of them end with their bounds.

#ifndef SHARDSMITH_LIB_DRIVER_MISSINGFEATURE_H
#define SHARDSMITH_LIB_DRIVER_MISSINGFEATURE_H

#include "shardsmith/Driver/RuntimeComparison.h"

namespace shardsmith {

/// What the question is about, and what is known already.
struct FeatureQuestion {
  const std::shared_ptr<const PlanningInputs> &inputs;
  const emit::ModelNames &names;
  const RuntimeDescription &runtime;
  const PlanningRequest &request;
  /// Plans of the search without a runtime, the fastest first.
  const std::vector<RankedPlan> &free;
  /// What the runtime runs.
  const RuntimePlan &own;
  /// The part of the time that the user has given and that is left.
  double timeShare = 1;
};

struct FeatureAnswer {
  /// The feature that alone gives the fastest plan; nothing if none alone gives
  /// a faster one than the runtime has.
  std::optional<MissingFeature> most;
  bool stoppedEarly = false;
};

FeatureAnswer findMissingFeature(const FeatureQuestion &question);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_DRIVER_MISSINGFEATURE_H
