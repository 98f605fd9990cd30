// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith verify`: runs one step three ways from the same arguments and
// compares every result:
//
//   whole         the train step before partitioning, interpreted
//   partitioned   the local program on as many virtual devices
//   executable    the compiled program on as many ranks
//
// Optimizer states start from random positive values, not zero. Adam's first
// step from zero divides a gradient by its own magnitude, so a gradient that
// is mathematically zero would turn rounding noise into a full step.

#include "BuildFolder.h"
#include "Command.h"
#include "NumberIn.h"
#include "Session.h"
#include "Stages.h"

#include "shardsmith/Import/LoadModel.h"
#include "shardsmith/Interpreter/Execution.h"
#include "shardsmith/Interpreter/Inputs.h"
#include "shardsmith/Plan/PlanFile.h"
#include "shardsmith/Support/TemporaryPath.h"

#include "llvm/Support/FileSystem.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <random>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace shardsmith {
namespace {

namespace fs = std::filesystem;

struct VerifyArguments {
  std::string folder;
  uint64_t seed = 0;
  double tolerance = 1e-4;
  bool skipExecutable = false;
  bool json = false;
};

/// One result compared in one execution with the whole program's.
struct Verdict {
  std::string execution;
  std::string result;
  ComparisonReport report;
};

/// A folder that goes with the files in it when the scope or the process ends.
class TemporaryFolder {
public:
  TemporaryFolder() : folder(make()) {}
  std::string operator/(const char *file) const {
    return (fs::path(folder.path()) / file).string();
  }

private:
  static std::string make() {
    std::string pattern =
        (fs::temp_directory_path() / "shardsmith-verify-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      fail(ExitCode::Environment, "cannot make a temporary folder: " + pattern);
    return pattern;
  }

  TemporaryPath folder;
};

/// States as they may be in the middle of training.
void randomizeStates(func::FuncOp function, uint64_t seed, Tensors &arguments) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> values(0.5, 1.5);
  for (unsigned index = 0; index < arguments.size(); ++index) {
    auto role = function.getArgAttrOfType<StringAttr>(index, "smith.role");
    Tensor &tensor = arguments[index];
    if (!role || role.getValue() != "state")
      continue;
    if (!isFloat(tensor.type())) {
      tensor = Tensor::filled(tensor.type(), tensor.shape(), 3);
      continue;
    }
    tensor = tensor.denseCopy();
    for (int64_t position = 0; position < tensor.size(); ++position)
      tensor.setElement(position,
                        Tensor::filled(tensor.type(), {}, values(generator)));
  }
}

/// Runs the compiled program for one step and returns its exit code.
int runProgram(const std::string &program, int64_t ranks,
               const std::string &inputs, const std::string &outputs) {
  std::string rankText = std::to_string(ranks);
  std::vector<std::string> words{
      program,   "--ranks",  rankText, "--steps",        "1",
      "--quiet", "--inputs", inputs,   "--dump-outputs", outputs};
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
      _exit(static_cast<int>(ExitCode::Environment));
    // What the program prints about its progress is not a result of ours.
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execv(program.c_str(), arguments.data());
    _exit(static_cast<int>(ExitCode::Environment));
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0)
    fail(ExitCode::Environment, "cannot start " + program);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Tensors requireResults(const Execution &execution, const char *what) {
  if (execution.outcome == Outcome::Completed)
    return execution.results;
  if (execution.outcome == Outcome::Unsupported)
    throw Stop{ExitCode::Unsupported};
  fail(ExitCode::Mismatch, fmt::format("the {} program did not run", what));
}

void compare(func::FuncOp function, const char *execution,
             const Tensors &actual, const Tensors &expected,
             const Tolerance &tolerance, std::vector<Verdict> &verdicts) {
  for (unsigned index = 0; index < expected.size(); ++index)
    verdicts.push_back(
        {execution, resultName(function, index),
         compareTensors(actual[index], expected[index], tolerance)});
}

ExitCode report(const std::vector<Verdict> &verdicts, bool json) {
  int64_t mismatches = 0;
  std::map<std::string, const Verdict *> worst;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Verdict &verdict : verdicts) {
    const Verdict *&known = worst[verdict.execution];
    if (!known ||
        verdict.report.largestAbsolute > known->report.largestAbsolute)
      known = &verdict;
    rows.push_back({{"execution", verdict.execution},
                    {"result", verdict.result},
                    {"holds", verdict.report.holds()},
                    {"largest_absolute", verdict.report.largestAbsolute},
                    {"largest_relative", verdict.report.largestRelative}});
    if (verdict.report.holds())
      continue;
    ++mismatches;
    fmt::print(stderr, "mismatch: {}, result {}: {}\n", verdict.execution,
               verdict.result, verdict.report.str());
  }
  if (json) {
    fmt::print("{}\n", rows.dump(2));
  } else {
    for (const auto &[execution, verdict] : worst)
      fmt::print("{:<12} largest difference {:.3g}, in {}\n", execution,
                 verdict->report.largestAbsolute, verdict->result);
    fmt::print("{} comparisons, {} mismatches\n", verdicts.size(), mismatches);
  }
  return mismatches == 0 ? ExitCode::Success : ExitCode::Mismatch;
}

ExitCode runVerify(const VerifyArguments &options) {
  finishStaged(options.folder);
  if (!options.skipExecutable)
    requireProgramOfPlan(options.folder);
  Session session;
  ExitCode code = ExitCode::Success;
  OwningOpRef<ModuleOp> step = loadModel(
      inFolder(options.folder, folder::kTrainStep), session.context(), code);
  if (!step)
    throw Stop{code};
  llvm::Expected<Plan> plan = readPlan(inFolder(options.folder, folder::kPlan));
  if (!plan)
    fail(plan.takeError());
  std::string program = inFolder(options.folder, folder::kProgram);
  if (!options.skipExecutable && !llvm::sys::fs::exists(program))
    fail(ExitCode::BadInput,
         fmt::format("{0}: no program in this folder; run 'shardsmith compile "
                     "{0}', or give --no-executable",
                     options.folder));

  OwningOpRef<ModuleOp> annotated = annotate(session, *step, *plan);
  OwningOpRef<ModuleOp> local = partition(session, *annotated);
  func::FuncOp function = mainOf(*step);
  FailureOr<Tensors> arguments = synthesizeArguments(function, options.seed);
  if (failed(arguments))
    throw Stop{ExitCode::BadInput};
  randomizeStates(function, options.seed, *arguments);

  Tolerance tolerance;
  tolerance.relativeToLargest = options.tolerance;
  Tensors whole = requireResults(runWhole(function, *arguments), "whole");
  std::vector<Verdict> verdicts;
  compare(function, "partitioned",
          requireResults(runPartitioned(mainOf(*local), *arguments, tolerance),
                         "partitioned"),
          whole, tolerance, verdicts);

  if (!options.skipExecutable) {
    TemporaryFolder temporary;
    std::string inputs = temporary / "inputs.safetensors";
    std::string outputs = temporary / "outputs.safetensors";
    if (failed(writeArguments(function, *arguments, inputs)))
      throw Stop{ExitCode::Environment};
    int status =
        runProgram(program, plan->getMesh().getDeviceCount(), inputs, outputs);
    if (status != 0)
      fail(ExitCode::Mismatch,
           fmt::format("the executable ended with code {}", status));
    FailureOr<Tensors> results = readResults(function, outputs);
    if (failed(results))
      throw Stop{ExitCode::Mismatch};
    compare(function, "executable", *results, whole, tolerance, verdicts);
  }
  return report(verdicts, options.json);
}

} // namespace

void addVerifyCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "verify", "Compare the whole program, its partition and the executable");
  auto arguments = std::make_shared<VerifyArguments>();
  command
      ->add_option("folder", arguments->folder,
                   "Folder that 'plan' or 'compile' has written")
      ->required();
  command->add_option("--seed", arguments->seed, "Seed of the arguments")
      ->capture_default_str();
  command
      ->add_option("--tolerance", arguments->tolerance,
                   "Allowed difference, relative to the largest element of a "
                   "result")
      ->check(numberIn(0, 1e30))
      ->capture_default_str();
  command->add_flag("--no-executable", arguments->skipExecutable,
                    "Compare only in the interpreter");
  command->add_flag("--json", arguments->json,
                    "Print every comparison as JSON");
  command->footer("Exit code 7 if anything differs by more than it may.");
  command->callback([arguments, &action] {
    action = [arguments] { return runVerify(*arguments); };
  });
}

} // namespace shardsmith
