// SPDX-License-Identifier: Apache-2.0
//
// A plan file together with the inputs it was made for.

#ifndef SHARDSMITH_DRIVER_REOPENEDPLAN_H
#define SHARDSMITH_DRIVER_REOPENEDPLAN_H

#include "shardsmith/Driver/PlanningInputs.h"

namespace shardsmith {

/// Where a plan is, and what to read in place of the inputs it names.
struct PlanSources {
  std::string plan;
  std::string model, cluster, profile;
};

/// The document in a file or folder. Throws Failure.
PlanDocument requireDocument(const std::string &path);
/// The same of a plan that has a strategy.
PlanDocument requireStrategy(const std::string &path);
/// The same of a plan that programs are built from.
PlanDocument requireProgramPlan(const std::string &path);

/// The plan's question, with the inputs of `sources`.
PlanningRequest requestOf(const std::vector<PlanOption> &options,
                          const PlanSources &sources);

/// The plan's document with layouts bound, its request and inputs. Throws
/// Failure with exit code 3 if the inputs are not those of the plan.
struct ReopenedPlan {
  PlanDocument document;
  PlanningRequest request;
  std::shared_ptr<const PlanningInputs> inputs;
  LoadedModel model;

  ReopenedPlan(Session &session, const PlanSources &sources);
};

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_REOPENEDPLAN_H
