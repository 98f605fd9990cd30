// SPDX-License-Identifier: Apache-2.0
//
// Plans that `compile` can build, for all ranks of a cluster. The search
// chooses among such plans, and the layout of every value is then found for the
// mesh that it chose.

#ifndef SHARDSMITH_DRIVER_PROGRAMPLAN_H
#define SHARDSMITH_DRIVER_PROGRAMPLAN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "shardsmith/Cluster/Cluster.h"
#include "shardsmith/Driver/PlanningRequest.h"
#include "shardsmith/Driver/PlayedSchedule.h"
#include "shardsmith/Lower/Common/Target.h"

namespace shardsmith {

class Session;

/// The plan of a program, and where it comes from.
struct ProgramPlan {
  mlir::OwningOpRef<mlir::ModuleOp> step;
  /// Has a program. Has no strategy for files that hold a train step, and for
  /// graphs that are no chain of blocks: their mesh is searched together with
  /// the layouts.
  PlanDocument document;
  /// What the document's strategy was searched for; missing for a plan that was
  /// read.
  std::shared_ptr<const PlanningInputs> inputs;
  /// The schedule in place of that of the document's family, if there is one.
  std::optional<PlayedSchedule> played;

  /// Has the program run `schedule`, and predicts how long it takes: with the
  /// schedule of the strategy's family as long as the document says. There must
  /// be a strategy.
  void take(PlayedSchedule schedule);

  StepPlan &plan() { return *document.program; }
  const StepPlan &plan() const { return *document.program; }
  /// The text of plan.json, with `program` for the program's part.
  std::string fileText(const StepPlan &program) const;
};

/// Whether programs can be built for the devices of the cluster from this
/// model: it must be a file of ops.
bool isBuildable(const PlanningRequest &request, const Cluster &cluster);

/// Why no program does what was given; empty if some may.
std::string programObstacle(const SearchConstraints &constraints);

/// With a target, a model of which it cannot lower everything is refused before
/// the search (`requireLowering`). Throws Stop or Failure.
ProgramPlan planProgram(Session &session, const PlanningRequest &request,
                        const std::shared_ptr<const Cluster> &cluster,
                        const lower::TargetTraits *target = nullptr);

/// The program of a plan that has a strategy alone, as those for GPUs: the step
/// of the model that `request` names, laid out on the strategy's mesh. The
/// strategy stays as it is. Throws Stop, or Failure: with exit code 3 if model,
/// cluster or profile are not those of the plan, with 5 if no program for
/// `target` can be built of it.
ProgramPlan completePlan(Session &session, const PlanningRequest &request,
                         PlanDocument document,
                         const lower::TargetTraits &target);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_PROGRAMPLAN_H
