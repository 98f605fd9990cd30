// SPDX-License-Identifier: Apache-2.0
//
// The stages of a build after import, each of which takes the IR of the one
// before and dumps its own. All throw Stop or Failure.
//
//   imported ─trainStep─▶ step ─annotate─▶ annotated ─partition─▶ local ─▶ …

#ifndef SHARDSMITH_DRIVER_STAGES_H
#define SHARDSMITH_DRIVER_STAGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "shardsmith/Cost/Profiles/StackProfile.h"
#include "shardsmith/Lower/CPU/CodeOptions.h"
#include "shardsmith/Lower/CPU/Target.h"
#include "shardsmith/PlanFiles/StepPlan.h"
#include "shardsmith/Train/TrainStep.h"
#include "shardsmith/ValueLayouts/Plan.h"

#include <string>

namespace shardsmith {

class Session;

/// Names of the files in a build folder.
namespace folder {
inline constexpr const char *kTrainStep = "train-step.mlir";
inline constexpr const char *kAnnotated = "annotated.mlir";
inline constexpr const char *kPlan = "plan.json";
inline constexpr const char *kProgram = "program";
inline constexpr const char *kDeviceProgram = "device-program.json";
inline constexpr const char *kDeviceConstants = "device-constants.bin";
inline constexpr const char *kCollectives = "collectives.json";
inline constexpr const char *kCluster = "cluster.json";
inline constexpr const char *kOptions = "options.txt";
inline constexpr const char *kRunScript = "run.sh";
} // namespace folder

std::string inFolder(const std::string &path, const char *file);

/// Before long work: throws Failure if no files could be written into the
/// folder. An empty path passes.
void requireWritableFolder(const std::string &path);

mlir::func::FuncOp mainOf(mlir::ModuleOp module);

/// Differentiates a forward graph in place; a train step stays as it is.
void makeTrainStep(Session &session, mlir::ModuleOp module,
                   const TrainOptions &options);

/// A copy of a train step that works on one of `count` micro-batches at a time
/// (`split-micro-batches`), or on one of each data rank, which have as many as
/// `shares` says if that is not empty; of a pipeline also if there is one.
/// Throws Stop with the code of what is unsupported if its batch cannot be
/// split.
mlir::OwningOpRef<mlir::ModuleOp> inMicroBatches(mlir::ModuleOp trainStep,
                                                 int64_t count,
                                                 llvm::ArrayRef<int64_t> shares,
                                                 bool isPipeline);

/// The step that programs of a plan compute on one device: the step in one
/// piece, but in micro-batches where these have a meaning of their own.
mlir::OwningOpRef<mlir::ModuleOp> referenceOf(mlir::ModuleOp trainStep,
                                              const StepPlan &plan);

/// How a train step is taken apart along time: its micro-batches, and the
/// schedule of a pipeline as a table; empty for a program that all ranks run.
struct StepSchedule {
  int64_t microBatches = 1;
  /// As in `StepPlan`.
  std::vector<int64_t> shares;
  std::string table;
};

/// Searches a plan for a train step that is taken apart in this way.
StepPlan findPlan(mlir::ModuleOp trainStep, const StepSchedule &schedule,
                  const Cluster &cluster, const StackProfile &profile,
                  const PlanOptions &options);

/// A copy of the train step, in the micro-batches of the plan, with the plan's
/// shardings on it.
mlir::OwningOpRef<mlir::ModuleOp>
annotate(Session &session, mlir::ModuleOp trainStep, const StepPlan &plan);

/// A copy of the annotated step as the program of one device, which computes
/// all stages.
mlir::OwningOpRef<mlir::ModuleOp> partition(Session &session,
                                            mlir::ModuleOp annotated);

/// The same as programs of ranks with their own stages, if it has a schedule.
mlir::OwningOpRef<mlir::ModuleOp> partitionIntoStages(Session &session,
                                                      mlir::ModuleOp annotated);

/// What ranks of a local program send per step: all of them, or of a pipeline
/// those with each coordinate along the axis of stages.
std::vector<std::vector<CollectiveTotal>> trafficOf(mlir::ModuleOp local);

/// As `lowerProgram`. Where that fails the plan stays as it is, diagnostics
/// have been emitted, and the exit code says what they are.
ExitCode tryLowering(Session &session, mlir::ModuleOp local, StepPlan &plan,
                     const lower::TargetTraits &target = cpuTarget());

/// Lowers a local program in place, and replaces the planner's estimates of
/// communication and memory by what the program will do, which is exact. Throws
/// Stop if it has no lowering.
void lowerProgram(Session &session, mlir::ModuleOp local, StepPlan &plan,
                  const lower::TargetTraits &target = cpuTarget());

/// Makes an executable of a lowered program at `output`.
void buildProgram(Session &session, mlir::ModuleOp lowered,
                  const StepPlan &plan, const CodeOptions &code,
                  const std::string &output);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_STAGES_H
