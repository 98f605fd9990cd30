// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/PlanFolder.h"

#include "shardsmith/Driver/BuildFolder.h"
#include "shardsmith/Driver/EmitInputs.h"
#include "shardsmith/Driver/Interrupt.h"
#include "shardsmith/Driver/LaunchScript.h"
#include "shardsmith/Driver/ResourceWatch.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Driver/UnlessStopped.h"
#include "shardsmith/Support/LocationText.h"
#include "shardsmith/ValueLayouts/Annotate/AnnotateGraph.h"
#include "shardsmith/ValueLayouts/Annotate/AnnotatedText.h"

#include <fmt/format.h>

namespace shardsmith {
namespace {

/// Empty if there is none; nothing if the command is told to stop meanwhile.
std::optional<std::string>
annotatedGraph(const std::shared_ptr<SessionModel> &planned,
               const Strategy &strategy) {
  LoadedModel &model = planned->model;
  if (!model.module)
    return "";
  std::optional<std::string> text = unlessStopped(
      [planned, strategy]() -> std::string {
        LoadedModel &model = planned->model;
        if (llvm::Error error = annotateGraph(*model.module, model.map,
                                              *model.workload, strategy)) {
          std::string reason;
          takeError(std::move(error), reason);
          noteNoAnnotatedGraph(reason);
          return "";
        }
        return annotatedText(*model.module, model.repeated, model.map,
                             strategy);
      },
      ResourceWatch::mustHurry);
  if (!text)
    noteNoAnnotatedGraph(whyHurried());
  return text;
}

/// Counts on the program what the plan estimates, or says what has no lowering.
void lowerIfPossible(Session &session, mlir::ModuleOp annotated,
                     LoweredPlan &lowered) {
  mlir::OwningOpRef<mlir::ModuleOp> local =
      partitionIntoStages(session, annotated);
  std::string &obstacle = lowered.obstacle;
  ExitCode code = ExitCode::Success;
  {
    mlir::ScopedDiagnosticHandler firstError(
        &session.context(), [&](mlir::Diagnostic &error) {
          if (obstacle.empty())
            obstacle = fmt::format("{}: {}", locationText(error.getLocation()),
                                   error.str());
          return mlir::success();
        });
    code = tryLowering(session, *local, lowered.plan);
  }
  if (code != ExitCode::Success && code != ExitCode::Unsupported)
    fail(code, obstacle);
}

} // namespace

std::string optionsText(const std::vector<PlanOption> &options) {
  std::string text;
  for (const PlanOption &option : options)
    text += fmt::format("--{} {}  # {}\n", option.name, option.value,
                        option.given ? "given" : "default");
  return text;
}

std::string_view whyHurried() {
  return InterruptFlag::wasSet() ? "interrupted" : "the time is up";
}

void noteNoAnnotatedGraph(std::string_view reason) {
  fmt::print(stderr, "no {}: {}\n", folder::kAnnotated, reason);
}

std::optional<LoweredPlan>
lowerUnlessStopped(const std::shared_ptr<Session> &session,
                   const std::shared_ptr<const ProgramPlan> &planned,
                   bool isBuildable) {
  return unlessStopped(
      [session, planned, isBuildable] {
        mlir::OwningOpRef<mlir::ModuleOp> annotated =
            annotate(*session, *planned->step, planned->plan());
        LoweredPlan lowered{toText(*annotated), planned->plan(), ""};
        if (isBuildable)
          lowerIfPossible(*session, *annotated, lowered);
        return lowered;
      },
      ResourceWatch::mustHurry);
}

void writePlanFolder(const std::string &output, const std::string &step,
                     const ProgramPlan &planned,
                     const std::optional<LoweredPlan> &lowered,
                     const Cluster *cluster) {
  const StepPlan &plan = lowered ? lowered->plan : planned.plan();
  BuildFolder build(output);
  build.write(folder::kTrainStep, step);
  if (lowered)
    build.write(folder::kAnnotated, lowered->annotated);
  else
    build.remove(folder::kAnnotated);
  build.write(folder::kPlan, planned.fileText(plan));
  // The document has filled in what was left open.
  build.write(folder::kOptions, optionsText(planned.document.options));
  bool mayHaveProgram = !cluster && (!lowered || lowered->obstacle.empty());
  // Files of an earlier plan in this folder do not belong to this one.
  if (cluster)
    build.write(folder::kCluster, cluster->toJson());
  else
    build.remove(folder::kCluster);
  if (mayHaveProgram)
    build.writeExecutable(folder::kRunScript,
                          programScript(plan.deviceCount()));
  else
    build.remove(folder::kRunScript);
  build.publish();
}

bool writePlanFolder(const std::string &output, const PlanningInputs &inputs,
                     const PlanningRequest &request,
                     const std::shared_ptr<SessionModel> &model,
                     const PlanDocument &document) {
  std::optional<std::string> annotated =
      annotatedGraph(model, document.strategy);
  BuildFolder build(output);
  build.write(folder::kPlan, toJson(document));
  build.write(folder::kCluster, inputs.cluster().toJson());
  build.write(folder::kOptions, optionsText(toOptions(request)));
  build.writeExecutable(folder::kRunScript,
                        emit::launchScript(emitInput(document, inputs)));
  // Files of an earlier plan in this folder do not belong to this one.
  build.remove(folder::kTrainStep);
  if (annotated && !annotated->empty())
    build.write(folder::kAnnotated, *annotated);
  else
    build.remove(folder::kAnnotated);
  build.publish();
  return annotated.has_value();
}

} // namespace shardsmith
