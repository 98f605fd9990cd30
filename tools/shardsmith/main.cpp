// SPDX-License-Identifier: Apache-2.0

#include "Command.h"

#include "llvm/Support/ErrorHandling.h"

#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/UnlessStopped.h"
#include "shardsmith/Support/ClosestWord.h"
#include "shardsmith/Support/StandardStreams.h"
#include "shardsmith/Support/TemporaryPath.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <system_error>
#include <unistd.h>

using namespace shardsmith;

namespace {

constexpr const char *kFooter = R"(A first run:
  shardsmith compile test/models/gpt2-tiny.mlir --cluster cpu:4 -o out/tiny
  shardsmith run out/tiny --ranks 4 --steps 10

Results go to standard output, everything else to standard error.
Exit codes: 0 done, 1 internal error, 2 usage, 3 bad input, 4 nothing fits,
5 unsupported op, 6 environment, 7 executions disagree, 124 time limit.)";

/// What to say of a first word that is no command; empty if it is one.
std::string unknownCommand(const CLI::App &application,
                           const std::string &word) {
  std::vector<std::string> names;
  for (const CLI::App *command : application.get_subcommands({}))
    names.push_back(command->get_name());
  if (word.empty() || word.starts_with('-') ||
      std::ranges::find(names, word) != names.end())
    return "";
  std::string closest = closestWord(word, names);
  return fmt::format("there is no command '{}'; {}", word,
                     closest.empty() ? "see shardsmith --help"
                                     : "did you mean '" + closest + "'?");
}

/// Runs the command; its results are out when it returns.
ExitCode run(const Action &action) {
  ExitCode code = action();
  writeOutput("-", "");
  return code;
}

/// Prints help, a version or what is wrong with the command line.
ExitCode report(const CLI::App &application, const CLI::ParseError &error) {
  application.exit(error);
  if (error.get_exit_code() != 0)
    return ExitCode::Usage;
  std::cout.flush();
  if (std::cout)
    return ExitCode::Success;
  fail(ExitCode::Environment, "cannot write to standard output");
}

/// LLVM's containers do not throw.
void onBadAllocation(void *, const char *, bool) {
  removeTemporaryPaths();
  constexpr std::string_view text = "error: out of memory\n";
  [[maybe_unused]] ssize_t written =
      write(STDERR_FILENO, text.data(), text.size());
  _exit(static_cast<int>(ExitCode::Environment));
}

ExitCode runTool(int argumentCount, char **arguments) {
  prepareStandardStreams();
  llvm::install_bad_alloc_error_handler(onBadAllocation);
  CLI::App application(
      "Plans and builds distributed training from a model graph.",
      "shardsmith");
  application.require_subcommand(1);
  application.set_version_flag("--version", SHARDSMITH_VERSION);

  Action action;
  addFitCommand(application, action);
  addPlanCommand(application, action);
  addExplainCommand(application, action);
  addDiffCommand(application, action);
  addReportCommand(application, action);
  addEmitCommand(application, action);
  addImportPlanCommand(application, action);
  addCheckCommand(application, action);
  addSimulateCommand(application, action);
  addEstimateCommand(application, action);
  addCalibrateCommand(application, action);
  addImportCommand(application, action);
  addCompileCommand(application, action);
  addRunCommand(application, action);
  addVerifyCommand(application, action);
  addInspectCommand(application, action);
  addClusterCommand(application, action);
  addSchemaCommand(application, action);
  addDoctorCommand(application, action);
  // Behind the subcommands, which would take it over.
  application.footer(kFooter);

  std::string unknown =
      unknownCommand(application, argumentCount > 1 ? arguments[1] : "");
  if (!unknown.empty()) {
    fmt::print(stderr, "error: {}\n", unknown);
    return ExitCode::Usage;
  }
  try {
    try {
      if (argumentCount <= 1)
        throw CLI::CallForHelp(); // Nobody who knows a command calls without.
      application.parse(argumentCount, arguments);
    } catch (const CLI::ParseError &error) {
      return report(application, error);
    }
    return run(action);
  } catch (const Stop &stop) {
    return stop.code;
  } catch (const Failure &failure) {
    fmt::print(stderr, "error: {}\n", failure.message);
    return failure.code;
  } catch (const std::bad_alloc &) {
    fmt::print(stderr, "error: out of memory\n");
    return ExitCode::Environment;
  } catch (const std::system_error &error) {
    // Of fmt::print above all, which throws when standard output is full.
    fmt::print(stderr, "error: {}\n", error.what());
    return ExitCode::Environment;
  } catch (const std::exception &error) {
    fmt::print(stderr, "error: internal: {}\n", error.what());
    return ExitCode::Internal;
  }
}

} // namespace

int main(int argumentCount, char **arguments) {
  return leave(runTool(argumentCount, arguments));
}
