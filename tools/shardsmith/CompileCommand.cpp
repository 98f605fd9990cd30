// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith compile`: a plan, or a model to be planned first, as a program.

#include "Command.h"
#include "Options.h"
#include "ScheduleReport.h"

#include "shardsmith/Support/StagedFolder.h"
#include "llvm/Support/FileSystem.h"

#include "shardsmith/Driver/CompileKernels.h"
#include "shardsmith/Driver/CompileProgram.h"
#include "shardsmith/Driver/Planner.h"
#include "shardsmith/Driver/ProgramReport.h"
#include "shardsmith/Driver/ResourceWatch.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Lower/Common/LinkProgram.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace shardsmith {
namespace {

struct CompileArguments {
  CompileRequest request;
  std::string output;
  std::string dumpFolder;
  /// Empty: what the cluster's devices are.
  std::string target;
  std::string targetCpu = "native";
  /// Empty: what the environment says.
  std::string optimize;
  bool noCode = false;
  bool json = false;

  const std::string &path() const { return request.planning.model.path; }
};

/// Says what was written for devices, and what could not be.
void reportKernels(const std::string &output,
                   const std::vector<std::string> &files,
                   const CompileTarget &target) {
  bool hasCode = false;
  for (const std::string &file : files) {
    fmt::print(stderr, "wrote {}\n", inFolder(output, file.c_str()));
    hasCode |= file.ends_with(".cubin");
  }
  if (target.hasCode && !hasCode)
    fmt::print(stderr, "there is no ptxas here: the program has its kernels as "
                       "PTX alone, which the driver compiles at every start\n");
}

constexpr const char *optimizeVariable = "SHARDSMITH_OPTIMIZE";

/// Whether code is optimised; throws Failure if the environment does not say.
bool isOptimized(std::string option) {
  if (option.empty())
    if (const char *text = std::getenv(optimizeVariable))
      option = text;
  if (option.empty() || option == "full")
    return true;
  if (option == "none")
    return false;
  fail(ExitCode::Usage, fmt::format("{} is '{}'; give 'full' or 'none'",
                                    optimizeVariable, option));
}

ExitCode runCompile(const CompileArguments &arguments) {
  std::string output = arguments.output;
  if (llvm::sys::fs::is_directory(arguments.path()))
    finishStaged(arguments.path());
  CompileTarget target = arguments.target.empty()
                             ? targetOf(arguments.request)
                             : parseCompileTarget(arguments.target);
  target.hasCode = !arguments.noCode;
  if (target.isCuda() && arguments.targetCpu != "native")
    fail(ExitCode::Usage, "--target-cpu is for --target cpu; drop one of them");
  if (target.isCuda() && !arguments.optimize.empty())
    fail(ExitCode::Usage, "--optimize is for --target cpu; drop one of them");
  CodeOptions code{arguments.targetCpu, isOptimized(arguments.optimize)};
  const bool isPlan = isPlanFolder(arguments.path());
  if (output.empty() && isPlan)
    output = arguments.path();
  if (output.empty())
    fail(ExitCode::Usage, "give the folder for the program with -o DIR");
  requireProgramFolder(output);
  requireWritableFolder(arguments.dumpFolder);
  // A long search would come to the same end.
  if (findCompiler().empty())
    fail(ExitCode::Environment, noCompiler);

  Session session(arguments.dumpFolder);
  std::optional<ResourceWatch> watch(std::in_place, arguments.request.planning);
  ProgramPlan planned =
      findProgramPlan(session, arguments.request, target.traits());
  if (planned.played)
    fmt::print(stderr, "{}", describe(*planned.played));
  // What LLVM takes to make a program is another matter.
  watch.reset();
  std::vector<std::string> deviceFiles;
  if (target.isCuda())
    deviceFiles = compileKernels(session, planned, output, target);
  else
    compileProgram(session, planned, output, code);
  writeOutput("-", arguments.json ? planned.fileText(planned.plan())
                                  : describeProgram(planned.plan()));
  if (std::string problem = memoryShortfall(planned.document, planned.plan());
      !problem.empty())
    session.note(problem);
  if (target.isCuda())
    reportKernels(output, deviceFiles, target);
  fmt::print(stderr, "wrote {}; start it with 'shardsmith run {} --ranks {}'\n",
             inFolder(output, folder::kProgram), output,
             planned.plan().deviceCount());
  bool isSearched = arguments.request.planFile.empty() && !isPlan;
  bool stopped = isSearched && planned.document.search.stopped;
  return exitCodeAfterSearch(stopped, arguments.request.planning);
}

} // namespace

void addCompileCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "compile", "Build the program that trains a model by a plan");
  auto arguments = std::make_shared<CompileArguments>();
  PlanningRequest &request = arguments->request.planning;
  addModelOptions(*command, request.model);
  command->get_option("model")->description(
      "Model file, built-in name, config.json or its folder; or a folder that "
      "'plan' has written");
  addTargetOptions(*command, request);
  addSearchOptions(*command, request);
  command
      ->add_option("--plan", arguments->request.planFile,
                   "Use this plan.json instead of searching")
      ->group("Planning");
  addScheduleOptions(*command, "Build", arguments->request.schedule);
  addTrainOptions(*command, request.train);
  command->add_option("-o,--output", arguments->output,
                      "Folder for the program, its plan and its IR; default: "
                      "the plan's folder");
  command->add_option("--dump-dir", arguments->dumpFolder,
                      "Folder for the IR after every stage");
  command->add_option("--target", arguments->target,
                      "cpu, or for GPUs cuda:CHIP[,CHIP]; chips are sm_80, "
                      "sm_90a, sm_100a and sm_120, and cuda is all of them; "
                      "default: what the cluster's devices are");
  command->add_flag("--no-cubin", arguments->noCode,
                    "For GPUs: keep the kernels as PTX, without code of the "
                    "chips that ptxas makes of it");
  command
      ->add_option("--target-cpu", arguments->targetCpu,
                   "Processor to compile for, as LLVM names it")
      ->capture_default_str();
  command
      ->add_option(
          "--optimize", arguments->optimize,
          "For processors: full, or none, which compiles in about two thirds "
          "of the time and gives slower programs; default: what "
          "SHARDSMITH_OPTIMIZE says, or full")
      ->check(CLI::IsMember({"full", "none"}));
  command->add_flag("--json", arguments->json, "Print the plan as JSON");
  command->callback([command, arguments, &action] {
    noteGiven(*command, arguments->request.planning);
    action = [arguments] { return runCompile(*arguments); };
  });
}

} // namespace shardsmith
