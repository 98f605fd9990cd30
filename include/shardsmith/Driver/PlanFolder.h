// SPDX-License-Identifier: Apache-2.0
//
// The folder that `plan` writes: plan.json, the annotated graph, the options in
// force and a run script, all of them or none. Files of an earlier plan that
// this one does not have are taken away.

#ifndef SHARDSMITH_DRIVER_PLANFOLDER_H
#define SHARDSMITH_DRIVER_PLANFOLDER_H

#include "shardsmith/Driver/PlanningInputs.h"
#include "shardsmith/Driver/ProgramPlan.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace shardsmith {

class Session;

/// A model with the session that its graph belongs to.
struct SessionModel {
  std::shared_ptr<Session> session;
  LoadedModel model;
};

/// The graph of a plan for a program, and the plan with the program's figures.
struct LoweredPlan {
  std::string annotated;
  StepPlan plan;
  /// The first op that has no lowering, if there is one.
  std::string obstacle;
};

/// Annotates the step of a plan, and lowers it if the cluster's devices are
/// processors. Without a lowered program memory and traffic stay the layout
/// search's estimates. Nothing if the
/// command is told to stop meanwhile.
std::optional<LoweredPlan>
lowerUnlessStopped(const std::shared_ptr<Session> &session,
                   const std::shared_ptr<const ProgramPlan> &planned,
                   bool isBuildable);

/// Options in force, one per line, as a command line would give them.
std::string optionsText(const std::vector<PlanOption> &options);

/// What has told the command to stop.
std::string_view whyHurried();

/// Says on standard error that a plan stands without its annotated graph.
void noteNoAnnotatedGraph(std::string_view reason);

/// Writes a plan for a program. `step` is the text of its train step. Where the
/// cluster is given no program is built for its devices: it is written instead
/// of a script that runs one. There is no script either where some op has no
/// lowering. Throws Failure.
void writePlanFolder(const std::string &output, const std::string &step,
                     const ProgramPlan &planned,
                     const std::optional<LoweredPlan> &lowered,
                     const Cluster *cluster = nullptr);

/// Writes any other plan; the annotated graph is missing, with a note, where
/// there is none and where the command is told to stop meanwhile. Returns
/// whether it was not. Throws Failure.
bool writePlanFolder(const std::string &output, const PlanningInputs &inputs,
                     const PlanningRequest &request,
                     const std::shared_ptr<SessionModel> &model,
                     const PlanDocument &document);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_PLANFOLDER_H
