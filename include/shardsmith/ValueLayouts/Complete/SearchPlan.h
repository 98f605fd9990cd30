// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_VALUELAYOUTS_COMPLETE_SEARCHPLAN_H
#define SHARDSMITH_VALUELAYOUTS_COMPLETE_SEARCHPLAN_H

#include "shardsmith/Cost/Profiles/StackProfile.h"
#include "shardsmith/ValueLayouts/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardsmith {

/// Finds the fastest plan for a train step on all usable devices of the
/// cluster: over all one- and two-axis meshes, or on the mesh that is given by
/// `options.fix` or by shardings in the file. Leaves the function as it is;
/// `applyPlan` annotates it.
///
/// Errors are `CodedError`s with the exit code of the tools: 2 for axes that
/// make no sense, 3 for input that cannot be planned as asked, 4 if nothing
/// fits the devices' memory, 124 if time ran out before anything was found.
llvm::Expected<StepPlan> searchPlan(mlir::func::FuncOp trainStep,
                                    const Cluster &cluster,
                                    const StackProfile &profile,
                                    const PlanOptions &options);

/// Annotates `@main` of a module with a plan that was made for it: `sdy.mesh`,
/// `sdy.sharding` on every value, `smith.factor_axes` on every op with a
/// factor rule. Fails with exit code 3 if the plan is for another train step.
llvm::Error applyPlan(mlir::ModuleOp module, const StepPlan &plan);

/// Sixteen hexadecimal digits over the ops and types of a train step.
std::string hashTrainStep(mlir::func::FuncOp trainStep);

} // namespace shardsmith

#endif // SHARDSMITH_VALUELAYOUTS_COMPLETE_SEARCHPLAN_H
