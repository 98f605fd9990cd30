// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/PlanFolder.h"

#include "shardsmith/Driver/BuildFolder.h"
#include "shardsmith/Driver/EmitInputs.h"
#include "shardsmith/Driver/Interrupt.h"
#include "shardsmith/Driver/LaunchScript.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Driver/UnlessStopped.h"
#include "shardsmith/ValueLayouts/Annotate/AnnotateGraph.h"
#include "shardsmith/ValueLayouts/Annotate/AnnotatedText.h"

#include <fmt/format.h>

namespace shardsmith {
namespace {

/// Options in force, one per line, as a command line would give them.
std::string optionsText(const std::vector<PlanOption> &options) {
  std::string text;
  for (const PlanOption &option : options)
    text += fmt::format("--{} {}  # {}\n", option.name, option.value,
                        option.given ? "given" : "default");
  return text;
}

/// Whether the command has been told to stop, now that there is a plan.
bool isInterrupted() { return InterruptFlag::wasSet(); }

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
      isInterrupted);
  if (!text)
    noteNoAnnotatedGraph("interrupted");
  return text;
}

} // namespace

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
        LoweredPlan lowered{toText(*annotated), planned->plan()};
        if (isBuildable)
          lowerProgram(*session, *partitionIntoStages(*session, *annotated),
                       lowered.plan);
        return lowered;
      },
      isInterrupted);
}

void writePlanFolder(const std::string &output, const std::string &step,
                     const ProgramPlan &planned,
                     const std::optional<LoweredPlan> &lowered,
                     const Cluster *cluster) {
  const StepPlan &plan = lowered ? lowered->plan : planned.plan();
  BuildFolder build(output);
  writeOutput(build.pathOf(folder::kTrainStep), step);
  if (lowered)
    writeOutput(build.pathOf(folder::kAnnotated), lowered->annotated);
  else
    build.remove(folder::kAnnotated);
  writeOutput(build.pathOf(folder::kPlan), planned.fileText(plan));
  // The document has filled in what was left open.
  writeOutput(build.pathOf(folder::kOptions),
              optionsText(planned.document.options));
  // Files of an earlier plan in this folder do not belong to this one.
  if (cluster) {
    writeOutput(build.pathOf(folder::kCluster), cluster->toJson());
    build.remove(folder::kRunScript);
  } else {
    writeExecutable(build.pathOf(folder::kRunScript),
                    programScript(plan.deviceCount()));
    build.remove(folder::kCluster);
  }
  build.publish();
}

bool writePlanFolder(const std::string &output, const PlanningInputs &inputs,
                     const PlanningRequest &request,
                     const std::shared_ptr<SessionModel> &model,
                     const PlanDocument &document) {
  std::optional<std::string> annotated =
      annotatedGraph(model, document.strategy);
  BuildFolder build(output);
  writeOutput(build.pathOf(folder::kPlan), toJson(document));
  writeOutput(build.pathOf(folder::kCluster), inputs.cluster().toJson());
  writeOutput(build.pathOf(folder::kOptions), optionsText(toOptions(request)));
  writeExecutable(build.pathOf(folder::kRunScript),
                  emit::launchScript(emitInput(document, inputs)));
  // Files of an earlier plan in this folder do not belong to this one.
  build.remove(folder::kTrainStep);
  if (annotated && !annotated->empty())
    writeOutput(build.pathOf(folder::kAnnotated), *annotated);
  else
    build.remove(folder::kAnnotated);
  build.publish();
  return annotated.has_value();
}

} // namespace shardsmith
