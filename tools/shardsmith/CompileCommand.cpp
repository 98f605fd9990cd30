// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith compile`: a plan, or a model to be planned first, as a program.

#include "BuildFolder.h"
#include "Command.h"
#include "LossGraph.h"
#include "Options.h"
#include "Planner.h"
#include "ProgramPlan.h"
#include "ProgramReport.h"
#include "ResourceWatch.h"
#include "Session.h"
#include "Stages.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Import/LoadModel.h"
#include "shardsmith/ValueLayouts/Annotate/AnnotateGraph.h"
#include "shardsmith/ValueLayouts/Complete/SearchPlan.h"
#include "shardsmith/ValueLayouts/File/PlanFile.h"
#include "llvm/Support/FileSystem.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace shardsmith {
namespace {

namespace fs = llvm::sys::fs;

struct CompileArguments {
  /// `model.path` is a model file, or a folder that `plan` has written.
  PlanningRequest request;
  TrainOptions train;
  std::string planFile;
  std::string output;
  std::string dumpFolder;
  std::string targetCpu = "native";
  bool json = false;

  const std::string &path() const { return request.model.path; }
};

/// The train step in a folder that `plan` has written.
mlir::OwningOpRef<mlir::ModuleOp> stepIn(Session &session,
                                         const std::string &build) {
  std::string path = inFolder(build, folder::kTrainStep);
  if (!fs::exists(path))
    fail(ExitCode::BadInput,
         fmt::format("{0}: no {1} in this folder; 'shardsmith plan MODEL -o "
                     "{0}' writes one",
                     build, folder::kTrainStep));
  ExitCode code = ExitCode::Success;
  mlir::OwningOpRef<mlir::ModuleOp> step =
      loadModel(path, session.context(), code);
  if (!step)
    throw Stop{code};
  return step;
}

/// The train step of a model file for which a plan was made.
mlir::OwningOpRef<mlir::ModuleOp> stepBy(Session &session,
                                         const CompileArguments &arguments,
                                         ProgramPlan &planned) {
  LossGraph graph(session, arguments.request.model);
  std::optional<PlanDocument> &document = planned.document;
  bool hasStrategy = document && graph.workload &&
                     bindLayouts(*graph.workload, *document).empty() &&
                     planned.plan.mesh == trainingMesh(document->strategy);
  return graph.intoTrainStep(session, arguments.train,
                             hasStrategy ? &document->strategy : nullptr);
}

std::string modelHash(mlir::ModuleOp module) {
  auto hash =
      module->getAttrOfType<mlir::StringAttr>(smith::kModelHashAttributeName);
  return hash ? hash.str() : hashTrainStep(mainOf(module));
}

/// The plan in a file, checked against the train step and the cluster.
ProgramPlan readProgramPlan(Session &session, const CompileArguments &arguments,
                            const std::string &path) {
  ProgramPlan result;
  if (fs::is_directory(arguments.path()))
    result.step = stepIn(session, arguments.path());
  llvm::Expected<Plan> plan = readPlan(path);
  if (!plan)
    fail(plan.takeError());
  result.plan = std::move(*plan);
  // Files of the older format have no more than the program's part.
  std::string unsaid;
  result.document = readPlanDocument(path, unsaid);
  if (!result.step)
    result.step = stepBy(session, arguments, result);
  std::string cluster = result.plan.clusterHash;
  if (!arguments.request.cluster.empty())
    cluster = clusterOf(arguments.request).hash();
  if (llvm::Error error =
          checkPlanIsFor(result.plan, modelHash(*result.step), cluster))
    fail(std::move(error));
  return result;
}

/// The plan that was given, or a new one.
ProgramPlan findProgramPlan(Session &session,
                            const CompileArguments &arguments) {
  std::string path = arguments.planFile;
  if (path.empty() && fs::is_directory(arguments.path()))
    path = inFolder(arguments.path(), folder::kPlan);
  for (const char *option : {"fix", "forbid"})
    if (!path.empty() && arguments.request.given.contains(option))
      fail(ExitCode::Usage,
           fmt::format("--{0}: {1} is a plan already; drop the option, or plan "
                       "anew with 'shardsmith plan MODEL --{0} …'",
                       option, path));
  if (!path.empty())
    return readProgramPlan(session, arguments, path);
  if (arguments.request.cluster.empty())
    fail(ExitCode::Usage, "a model file needs --cluster or --plan; for this "
                          "machine try --cluster cpu:4");
  return planProgram(
      session, arguments.request, arguments.train,
      std::make_shared<const Cluster>(clusterOf(arguments.request)));
}

ExitCode runCompile(const CompileArguments &arguments) {
  std::string output = arguments.output;
  if (fs::is_directory(arguments.path()))
    finishStaged(arguments.path());
  if (output.empty() && fs::is_directory(arguments.path()))
    output = arguments.path();
  if (output.empty())
    fail(ExitCode::Usage, "give the folder for the program with -o DIR");
  for (const char *file : {folder::kTrainStep, folder::kAnnotated,
                           folder::kPlan, folder::kProgram})
    requireReplaceable(inFolder(output, file));
  requireWritableFolder(arguments.dumpFolder);

  Session session(arguments.dumpFolder);
  std::optional<ResourceWatch> watch(std::in_place, arguments.request);
  ProgramPlan planned = findProgramPlan(session, arguments);
  // What LLVM takes to make a program is another matter.
  watch.reset();
  Plan &plan = planned.plan;
  mlir::OwningOpRef<mlir::ModuleOp> annotated =
      annotate(session, *planned.step, plan);
  mlir::OwningOpRef<mlir::ModuleOp> local = partition(session, *annotated);
  lowerProgram(session, *local, plan);

  // The files belong together: whatever happens, they come together.
  BuildFolder build(output);
  writeOutput(build.pathOf(folder::kTrainStep), toText(*planned.step));
  writeOutput(build.pathOf(folder::kAnnotated), toText(*annotated));
  writeOutput(build.pathOf(folder::kPlan), planned.fileText());
  buildProgram(session, *local, plan, arguments.targetCpu,
               build.pathOf(folder::kProgram));
  build.publish();
  writeOutput("-", arguments.json ? planned.fileText() : describeProgram(plan));
  fmt::print(stderr, "wrote {}; start it with 'shardsmith run {} --ranks {}'\n",
             inFolder(output, folder::kProgram), output,
             plan.getMesh().getDeviceCount());
  bool isSearched =
      arguments.planFile.empty() && !fs::is_directory(arguments.path());
  bool stopped =
      isSearched && planned.document && planned.document->search.stopped;
  return exitCodeAfterSearch(stopped, arguments.request);
}

} // namespace

void addCompileCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "compile", "Build the program that trains a model by a plan");
  auto arguments = std::make_shared<CompileArguments>();
  PlanningRequest &request = arguments->request;
  addModelOptions(*command, request.model);
  command->get_option("model")->description(
      "Model file, or a folder that 'plan' has written");
  addTargetOptions(*command, request);
  addSearchOptions(*command, request);
  command
      ->add_option("--plan", arguments->planFile,
                   "Use this plan.json instead of searching")
      ->group("Planning");
  addTrainOptions(*command, arguments->train);
  command->add_option("-o,--output", arguments->output,
                      "Folder for the program, its plan and its IR; default: "
                      "the plan's folder");
  command->add_option("--dump-dir", arguments->dumpFolder,
                      "Folder for the IR after every stage");
  command
      ->add_option("--target-cpu", arguments->targetCpu,
                   "Processor to compile for, as LLVM names it")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print the plan as JSON");
  command->callback([command, arguments, &action] {
    arguments->request.optimizer = arguments->train.optimizer.name;
    noteGiven(*command, arguments->request);
    action = [arguments] { return runCompile(*arguments); };
  });
}

} // namespace shardsmith
