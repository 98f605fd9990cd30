// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/CompileProgram.h"

#include "llvm/Support/FileSystem.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Driver/BuildFolder.h"
#include "shardsmith/Driver/CompileKernels.h"
#include "shardsmith/Driver/LossGraph.h"
#include "shardsmith/Driver/ModelSource.h"
#include "shardsmith/Driver/PlanningInputs.h"
#include "shardsmith/Driver/ProgramFolder.h"
#include "shardsmith/Driver/ReopenedPlan.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Import/LoadModel.h"
#include "shardsmith/ValueLayouts/Annotate/AnnotateGraph.h"
#include "shardsmith/ValueLayouts/Complete/SearchPlan.h"

#include <fmt/format.h>

namespace shardsmith {
namespace {

/// The train step in a folder that `plan` has written.
mlir::OwningOpRef<mlir::ModuleOp> stepIn(Session &session,
                                         const std::string &build) {
  std::string path = inFolder(build, folder::kTrainStep);
  if (!llvm::sys::fs::exists(path))
    fail(ExitCode::BadInput,
         fmt::format("{0}: no {1} in this folder, which 'shardsmith plan MODEL "
                     "-o {0}' writes, and no config.json of a model",
                     build, folder::kTrainStep));
  ExitCode code = ExitCode::Success;
  mlir::OwningOpRef<mlir::ModuleOp> step =
      loadModel(path, session.context(), code);
  if (!step)
    throw Stop{code};
  return step;
}

/// The train step of a model file for which a plan was made.
mlir::OwningOpRef<mlir::ModuleOp>
stepBy(Session &session, const CompileRequest &request, ProgramPlan &planned) {
  PlanDocument &document = planned.document;
  ModelOptions model = request.planning.model;
  if (document.hasStrategy())
    model.plannedHash = document.model.identity.hash;
  LossGraph graph(session, model);
  bool hasStrategy = document.hasStrategy() && graph.workload &&
                     bindLayouts(*graph.workload, document).empty();
  if (hasStrategy) {
    // One rank splits nothing, but may compute things again.
    std::vector<FixedAxis> mesh = trainingMesh(document.strategy);
    hasStrategy = mesh.empty() || planned.plan().mesh == mesh;
  }
  TrainOptions train = request.planning.train;
  std::string cluster = requestOf(document.options, {}).cluster;
  if (hasStrategy && document.strategy.expert > 1 && !cluster.empty())
    train.expertExchange =
        exchangeFor(train.expertExchange, requireCluster(cluster));
  return graph.intoTrainStep(session, train,
                             hasStrategy ? &document.strategy : nullptr);
}

std::string modelHash(mlir::ModuleOp module) {
  auto hash =
      module->getAttrOfType<mlir::StringAttr>(smith::kModelHashAttributeName);
  return hash ? hash.str() : hashTrainStep(mainOf(module));
}

/// The question that a plan answers, with what is given now in its place.
PlanningRequest questionOf(const CompileRequest &request,
                           const PlanDocument &document) {
  PlanningRequest question = toRequest(document.options);
  PlanningRequest given = request.planning;
  bool isFolder = isPlanFolder(given.model.path);
  if (isFolder)
    given.given.erase("model");
  takeGiven(given, question);
  // Sizes and roles are those of the model that is given.
  if (!isFolder)
    question.model = given.model;
  return question;
}

/// The plan in a file, checked against the train step and the cluster.
ProgramPlan readProgramPlan(Session &session, const CompileRequest &request,
                            const std::string &path,
                            const lower::TargetTraits &target) {
  ProgramPlan result;
  result.document = requireDocument(path);
  if (!result.document.program)
    return completePlan(session, questionOf(request, result.document),
                        std::move(result.document), target);
  if (const std::string &build = request.planning.model.path;
      isPlanFolder(build)) {
    if (std::string option = givenOfTrainStep(request.planning);
        !option.empty())
      fail(ExitCode::Usage,
           fmt::format("--{0}: {1} is made already; drop the option, "
                       "or plan anew with 'shardsmith plan MODEL --{0} …'",
                       option, inFolder(build, folder::kTrainStep)));
    result.step = stepIn(session, build);
  }
  if (!result.step)
    result.step = stepBy(session, request, result);
  std::string cluster;
  if (!request.planning.cluster.empty())
    cluster = clusterOf(request.planning).hash();
  std::string different =
      differentInputs(result.document, modelHash(*result.step), cluster, "");
  if (!different.empty())
    fail(ExitCode::BadInput, different + "; plan it again");
  return result;
}

/// The plan in a file, or a new one if `path` is empty.
ProgramPlan readOrSearch(Session &session, const CompileRequest &request,
                         const std::string &path,
                         const lower::TargetTraits &target) {
  if (!path.empty())
    return readProgramPlan(session, request, path, target);
  if (request.planning.cluster.empty())
    fail(ExitCode::Usage, "a model file needs --cluster or --plan; for this "
                          "machine try --cluster cpu:4");
  return planProgram(
      session, request.planning,
      std::make_shared<const Cluster>(clusterOf(request.planning)), &target);
}

/// The plan with a schedule of the user's. `path` is the plan's file, if it was
/// read from one.
void giveSchedule(Session &session, const CompileRequest &request,
                  const std::string &path, ProgramPlan &planned) {
  const GivenSchedule &given = request.schedule;
  if (planned.document.strategy.pipeline == 1)
    fail(ExitCode::Usage,
         fmt::format("{}: the plan has no pipeline, and so no schedule; drop "
                     "the option, or plan with --fix pp=2 or more",
                     given.option()));
  if (planned.inputs)
    return planned.take(
        play(*planned.inputs, planned.document.strategy, given));
  PlanSources sources;
  sources.plan = path;
  sources.cluster = request.planning.cluster;
  ReopenedPlan reopened(session, sources);
  planned.take(play(*reopened.inputs, reopened.document.strategy, given));
}

} // namespace

bool isPlanFolder(const std::string &path) {
  return llvm::sys::fs::is_directory(path) &&
         (llvm::sys::fs::exists(inFolder(path, folder::kPlan)) ||
          !llvm::sys::fs::exists(inFolder(path, "config.json")));
}

/// Empty if a plan is to be searched.
static std::string planPathOf(const CompileRequest &request) {
  if (request.planFile.empty() && isPlanFolder(request.planning.model.path))
    return inFolder(request.planning.model.path, folder::kPlan);
  return request.planFile;
}

CompileTarget targetOf(const CompileRequest &request) {
  std::string cluster = request.planning.cluster;
  std::string path = planPathOf(request);
  if (cluster.empty() && !path.empty())
    cluster = requestOf(requireDocument(path).options, {}).cluster;
  // Who needs one says so later.
  if (cluster.empty())
    return {};
  return impliedTarget(requireCluster(cluster));
}

ProgramPlan findProgramPlan(Session &session, const CompileRequest &request,
                            const lower::TargetTraits &target) {
  std::string path = planPathOf(request);
  for (const char *option : {"fix", "forbid"})
    if (!path.empty() && request.planning.given.contains(option))
      fail(ExitCode::Usage,
           fmt::format("--{0}: {1} is a plan already; drop the option, or plan "
                       "anew with 'shardsmith plan MODEL --{0} …'",
                       option, path));
  ProgramPlan planned = readOrSearch(session, request, path, target);
  if (request.schedule.isGiven())
    giveSchedule(session, request, path, planned);
  return planned;
}

void requireProgramFolder(const std::string &path) {
  for (const char *file : {folder::kTrainStep, folder::kAnnotated,
                           folder::kPlan, folder::kProgram})
    requireReplaceable(inFolder(path, file));
  // What 'plan' has left becomes the program's (writeProgramPlan).
  if (llvm::sys::fs::exists(inFolder(path, folder::kOptions)))
    for (const char *file :
         {folder::kOptions, folder::kRunScript, folder::kCluster})
      requireReplaceable(inFolder(path, file));
}

void compileProgram(Session &session, ProgramPlan &planned,
                    const std::string &output, const CodeOptions &code) {
  StepPlan &plan = planned.plan();
  mlir::OwningOpRef<mlir::ModuleOp> annotated =
      annotate(session, *planned.step, plan);
  mlir::OwningOpRef<mlir::ModuleOp> local =
      partitionIntoStages(session, *annotated);
  lowerProgram(session, *local, plan);

  // The files belong together: whatever happens, they come together.
  BuildFolder build(output);
  writeProgramPlan(build, output, planned, *annotated);
  removeDeviceFiles(build);
  buildProgram(session, *local, plan, code, build.pathOf(folder::kProgram));
  build.publish();
}

} // namespace shardsmith
