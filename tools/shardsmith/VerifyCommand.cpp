// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith verify`: runs one step three ways from the same arguments and
// compares every result:
//
//   whole         the train step before partitioning, interpreted
//   partitioned   the local program on as many virtual devices
//   executable    the compiled program on as many ranks
//
// What a result may differ by is taken from further executions of the whole
// program that round at random (docs/verify.md).
//
// Optimizer states start from random positive values, not zero: Adam's first
// step from zero divides a gradient by its own magnitude, so a gradient that
// is mathematically zero would turn rounding noise into a full step.

#include "Command.h"
#include "NumberIn.h"

#include "llvm/Support/FileSystem.h"

#include "shardsmith/Driver/BuildFolder.h"
#include "shardsmith/Driver/ReopenedPlan.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Import/LoadModel.h"
#include "shardsmith/Interpreter/Execution.h"
#include "shardsmith/Interpreter/Inputs.h"
#include "shardsmith/Interpreter/Spread.h"
#include "shardsmith/Interpreter/TensorMemory.h"
#include "shardsmith/Support/Json.h"
#include "shardsmith/Support/TemporaryPath.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
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
  std::optional<double> tolerance;
  int64_t samples = 8;
  bool skipExecutable = false;
  bool json = false;
};

/// What the results of the whole program are, and may differ by.
struct Expected {
  Tensors results;
  /// By result; empty where the user gives a tolerance.
  std::vector<Spread> spreads;
  Tolerance given;
  /// What the samples drew anew, in words.
  std::string basis;
};

/// One result compared in one execution with the whole program's.
struct Verdict {
  std::string execution;
  std::string result;
  ComparisonReport report;
  Deviation found, allowed;
  bool holds = false;
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

Tensors requireResults(const Execution &execution, const char *what) {
  if (execution.outcome == Outcome::Completed)
    return execution.results;
  if (execution.outcome == Outcome::Unsupported)
    throw Stop{ExitCode::Unsupported};
  fail(ExitCode::Mismatch, fmt::format("the {} program did not run", what));
}

/// The root of the mean square of a tensor's elements.
double magnitudeOf(const Tensor &tensor) {
  double squares = 0;
  for (int64_t position = 0; position < tensor.size(); ++position)
    squares += std::pow(tensor.asDouble(position), 2);
  return std::sqrt(squares / static_cast<double>(tensor.size()));
}

bool isUniform(const Tensor &tensor) {
  for (int64_t position = 1; position < tensor.size(); ++position)
    if (tensor.asDouble(position) != tensor.asDouble(0))
      return false;
  return true;
}

/// `tensor` with a random value of the generator's added to `offset` at each
/// position.
template <typename Distribution>
Tensor randomLike(const Tensor &tensor, double offset, Distribution values,
                  std::mt19937_64 &generator) {
  Tensor result = tensor.denseCopy();
  for (int64_t position = 0; position < tensor.size(); ++position)
    result.setElement(position, Tensor::filled(tensor.type(), {},
                                               offset + values(generator)));
  return result;
}

/// Parameters of equal elements and optimizer states as they may be in the
/// middle of training. States are as large as one step from their start makes
/// them, so that what the step adds to them shows.
Tensors inMidTraining(func::FuncOp function, uint64_t seed, Tensors arguments) {
  Tensors first = requireResults(runWhole(function, arguments), "whole");
  std::map<std::string, Tensor> results;
  for (unsigned index = 0; index < first.size(); ++index)
    results[resultName(function, index)] = first[index];
  std::mt19937_64 generator(seed);
  for (unsigned index = 0; index < arguments.size(); ++index) {
    auto role = function.getArgAttrOfType<StringAttr>(index, "smith.role");
    Tensor &tensor = arguments[index];
    if (!role || tensor.size() == 0)
      continue;
    if (role.getValue() == "param" && isFloat(tensor.type()) &&
        isUniform(tensor))
      tensor = randomLike(tensor, tensor.asDouble(0),
                          std::normal_distribution<double>(0, 0.02), generator);
    if (role.getValue() != "state")
      continue;
    if (!isFloat(tensor.type())) {
      tensor = Tensor::filled(tensor.type(), tensor.shape(), 3);
      continue;
    }
    auto found = results.find(argumentName(function, index));
    double size = found == results.end() ? 1 : magnitudeOf(found->second);
    if (!std::isfinite(size) || size == 0)
      size = 1;
    tensor = randomLike(
        tensor, 0,
        std::uniform_real_distribution<double>(0.5 * size, 1.5 * size),
        generator);
  }
  return arguments;
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

/// The argument that each result replaces, or no tensor.
Tensors replacedArguments(func::FuncOp function, const Tensors &arguments) {
  std::map<std::string, Tensor> byName;
  for (unsigned index = 0; index < arguments.size(); ++index)
    byName[argumentName(function, index)] = arguments[index];
  Tensors replaced;
  for (unsigned index = 0; index < function.getNumResults(); ++index) {
    auto found = byName.find(resultName(function, index));
    replaced.push_back(found == byName.end() ? Tensor() : found->second);
  }
  return replaced;
}

std::string describeBasis(const RoundingNoise &noise, int64_t samples) {
  std::vector<std::string> units;
  for (ElementType type : noise.types())
    units.push_back(fmt::format("{} to 2^{:.0f}", elementTypeName(type).str(),
                                std::log2(unitRoundoff(type))));
  if (units.empty())
    return "nothing is rounded, so results must be equal";
  return fmt::format("{:g} times the spread of {} executions that round {} at "
                     "random, sums of up to {} terms",
                     Spread::factor, samples, fmt::join(units, ", "),
                     noise.longestSum());
}

/// The results with another batch and all else equal.
Tensors runOtherBatch(func::FuncOp function, Tensors arguments, uint64_t seed) {
  FailureOr<Tensors> others = synthesizeArguments(function, seed, /*step=*/1);
  if (failed(others))
    throw Stop{ExitCode::BadInput};
  for (unsigned index = 0; index < arguments.size(); ++index) {
    auto role = function.getArgAttrOfType<StringAttr>(index, "smith.role");
    if (role && role.getValue() == "batch")
      arguments[index] = (*others)[index];
  }
  return requireResults(runWhole(function, std::move(arguments)), "whole");
}

/// Adds what results may differ by.
void sampleSpreads(func::FuncOp function, const Tensors &arguments,
                   const VerifyArguments &options, Expected &expected) {
  Tensors replaced = replacedArguments(function, arguments);
  Tensors otherwise = runOtherBatch(function, arguments, options.seed);
  Operation *returned = function.getBody().front().getTerminator();
  for (unsigned index = 0; index < expected.results.size(); ++index)
    expected.spreads.emplace_back(
        expected.results[index], replaced[index], otherwise[index],
        !isa<BlockArgument>(returned->getOperand(index)));
  for (int64_t sample = 0; sample < options.samples; ++sample) {
    RoundingNoise noise(options.seed + static_cast<uint64_t>(sample));
    Tensors results =
        requireResults(runShaken(function, arguments, noise), "whole");
    for (auto [spread, result] : llvm::zip_equal(expected.spreads, results))
      spread.add(result);
    expected.basis = describeBasis(noise, options.samples);
  }
}

Expected runReference(func::FuncOp function, const Tensors &arguments,
                      const VerifyArguments &options) {
  Expected expected;
  expected.results = requireResults(runWhole(function, arguments), "whole");
  if (options.tolerance) {
    expected.given.relativeToLargest = *options.tolerance;
    expected.basis =
        fmt::format("{:g} of the largest element of each result, as given",
                    *options.tolerance);
  } else {
    sampleSpreads(function, arguments, options, expected);
  }
  return expected;
}

/// What copies of one element on several devices may differ by: as much as any
/// result may from the expected one.
Tolerance copiesTolerance(const Expected &expected) {
  Tolerance copies = expected.given;
  for (const Spread &spread : expected.spreads)
    copies.absolute = std::max(copies.absolute, spread.allowed().largest);
  return copies;
}

void compare(func::FuncOp function, const char *execution,
             const Tensors &actual, const Expected &expected,
             std::vector<Verdict> &verdicts) {
  for (unsigned index = 0; index < expected.results.size(); ++index) {
    Verdict verdict;
    verdict.execution = execution;
    verdict.result = resultName(function, index);
    verdict.report =
        compareTensors(actual[index], expected.results[index], expected.given);
    verdict.holds = verdict.report.holds();
    if (!expected.spreads.empty() && verdict.report.incomparable.empty()) {
      const Spread &spread = expected.spreads[index];
      verdict.found = spread.deviationOf(actual[index]);
      verdict.allowed = spread.allowed();
      verdict.holds = Spread::holds(verdict.found, verdict.allowed);
    }
    verdicts.push_back(std::move(verdict));
  }
}

/// Why a result does not agree.
std::string explain(const Verdict &verdict, bool isSampled) {
  std::string text = verdict.report.str();
  if (!isSampled || !verdict.report.incomparable.empty())
    return text;
  const Deviation &found = verdict.found, &allowed = verdict.allowed;
  auto add = [&](const char *what, double value, double limit) {
    if (std::fabs(value) > limit)
      text += fmt::format("; {} {:.3g}, at most {:.3g} allowed", what, value,
                          limit);
  };
  add("largest difference", found.largest, allowed.largest);
  add("root mean square", found.rootMeanSquare, allowed.rootMeanSquare);
  add("scale of the change off by", found.scale[0], allowed.scale[0]);
  add("scale of what the batch changes off by", found.scale[1],
      allowed.scale[1]);
  add("elements that must be equal", double(found.unequal),
      double(allowed.unequal));
  return text;
}

nlohmann::ordered_json toJson(const Deviation &deviation) {
  return {{"absolute", deviation.largest},
          {"root_mean_square", deviation.rootMeanSquare},
          {"scale_of_change", deviation.scale[0]},
          {"scale_of_batch", deviation.scale[1]},
          {"unequal", deviation.unequal}};
}

/// Says so where nothing can be compared: a result without a finite element
/// agrees with every other such result.
void noteNonFinite(func::FuncOp function, const Expected &expected) {
  for (auto [index, result] : llvm::enumerate(expected.results)) {
    bool isFinite = result.size() == 0;
    for (int64_t i = 0; i < result.size() && !isFinite; ++i)
      isFinite = std::isfinite(result.asDouble(i));
    if (!isFinite)
      fmt::print(stderr,
                 "note: {} has no finite element in the whole program either; "
                 "agreement says nothing\n",
                 resultName(function, index));
  }
}

/// Of the results of one execution, the one that comes nearest to what it may
/// differ by, or exceeds it most.
bool isWorse(const Verdict &verdict, const Verdict &known) {
  auto share = [](const Verdict &each) {
    double found = each.report.largestAbsolute;
    return each.allowed.largest > 0 ? found / each.allowed.largest : found;
  };
  return share(verdict) > share(known);
}

ExitCode report(const std::vector<Verdict> &verdicts, const Expected &expected,
                bool json) {
  const bool isSampled = !expected.spreads.empty();
  int64_t mismatches = 0;
  std::map<std::string, const Verdict *> worst;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Verdict &verdict : verdicts) {
    const Verdict *&known = worst[verdict.execution];
    if (!known || isWorse(verdict, *known))
      known = &verdict;
    nlohmann::ordered_json row = {
        {"execution", verdict.execution},
        {"result", verdict.result},
        {"holds", verdict.holds},
        {"largest_absolute", verdict.report.largestAbsolute},
        {"largest_relative", verdict.report.largestRelative}};
    if (isSampled) {
      row["found"] = toJson(verdict.found);
      row["allowed"] = toJson(verdict.allowed);
    }
    rows.push_back(std::move(row));
    if (verdict.holds)
      continue;
    ++mismatches;
    fmt::print(stderr, "mismatch: {}, result {}: {}\n", verdict.execution,
               verdict.result, explain(verdict, isSampled));
  }
  if (json) {
    nlohmann::ordered_json document = {{"tolerance", expected.basis},
                                       {"comparisons", rows}};
    fmt::print("{}\n", jsonText(document, 2));
  } else {
    fmt::print("{:<12} {}\n", "tolerance", expected.basis);
    for (const auto &[execution, verdict] : worst)
      fmt::print("{:<12} largest difference {:.3g}{}, in {}\n", execution,
                 verdict->report.largestAbsolute,
                 isSampled ? fmt::format(" of {:.3g}", verdict->allowed.largest)
                           : "",
                 verdict->result);
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
  std::string planFile = inFolder(options.folder, folder::kPlan);
  const StepPlan plan = *requireProgramPlan(planFile).program;
  std::string program = inFolder(options.folder, folder::kProgram);
  if (!options.skipExecutable && !llvm::sys::fs::exists(program))
    fail(ExitCode::BadInput,
         fmt::format("{0}: no program in this folder; run 'shardsmith compile "
                     "{0}', or give --no-executable",
                     options.folder));

  OwningOpRef<ModuleOp> annotated = annotate(session, *step, plan);
  OwningOpRef<ModuleOp> local = partition(session, *annotated);
  func::FuncOp function = mainOf(*step);
  FailureOr<Tensors> arguments = synthesizeArguments(function, options.seed);
  if (failed(arguments))
    throw Stop{ExitCode::BadInput};
  OwningOpRef<ModuleOp> reference = referenceOf(*step, plan);
  *arguments = inMidTraining(mainOf(*reference), options.seed, *arguments);

  Expected expected = runReference(mainOf(*reference), *arguments, options);
  noteNonFinite(function, expected);
  std::vector<Verdict> verdicts;
  compare(function, "partitioned",
          requireResults(runPartitioned(mainOf(*local), *arguments,
                                        copiesTolerance(expected)),
                         "partitioned"),
          expected, verdicts);

  if (!options.skipExecutable) {
    TemporaryFolder temporary;
    std::string inputs = temporary / "inputs.safetensors";
    std::string outputs = temporary / "outputs.safetensors";
    if (failed(writeArguments(function, *arguments, inputs)))
      throw Stop{ExitCode::Environment};
    int status = runProgram(program, plan.deviceCount(), inputs, outputs);
    // Where it could not run, that says nothing of its results.
    if (status == static_cast<int>(ExitCode::Environment))
      throw Stop{ExitCode::Environment};
    if (status != 0)
      fail(ExitCode::Mismatch,
           fmt::format("the executable ended with code {}", status));
    FailureOr<Tensors> results = readResults(function, outputs);
    if (failed(results))
      throw Stop{ExitCode::Mismatch};
    compare(function, "executable", *results, expected, verdicts);
  }
  return report(verdicts, expected, options.json);
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
                   "result (default: derived from the number formats and the "
                   "lengths of sums)")
      ->check(numberIn(0, 1e30));
  command
      ->add_option("--samples", arguments->samples,
                   "Executions with random roundings that the tolerance is "
                   "derived from")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  command->add_flag("--no-executable", arguments->skipExecutable,
                    "Compare only in the interpreter");
  command->add_flag("--json", arguments->json,
                    "Print every comparison as JSON");
  command->footer("Exit code 7 if anything differs by more than it may.");
  command->callback([arguments, &action] {
    action = [arguments] {
      try {
        return runVerify(*arguments);
      } catch (const OutOfMemory &problem) {
        if (problem.isReported)
          throw Stop{ExitCode::Environment};
        fail(ExitCode::Environment, problem.what());
      }
    };
  });
}

} // namespace shardsmith
