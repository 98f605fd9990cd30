// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Launch/Program.h"

#include "TrainingLoop.h"
#include "shardsmith/Runtime/Launch/Launcher.h"
#include "shardsmith/Support/StandardStreams.h"
#include "shardsmith/Support/TemporaryPath.h"

#include <csignal>
#include <cstdio>
#include <cstring>

#include <unistd.h>

namespace shardsmith::runtime {
namespace {

/// Runs the step that is compiled into the program.
class ProcessorEngine final : public StepEngine {
public:
  ProcessorEngine(smith_context &context,
                  void (*step)(smith_context *, uint8_t *))
      : context(context), step(step) {
    if (context.manifest.ranks > 1 && context.transport->runsBesideKernels() &&
        hasCoreForExchanges(context.environment.localRanks,
                            context.team.threads()))
      context.exchangeThread = std::make_unique<ExchangeThread>();
  }

  void run(uint8_t *arena) override {
    step(&context, arena);
    context.settle();
  }

private:
  smith_context &context;
  void (*step)(smith_context *, uint8_t *);
};

/// What is special about a program.
struct ProgramParts {
  EngineFactory makeEngine;
  std::string_view manifestText;
  bool isForGpus = false;
};

/// The rank of this process, for signal handlers.
smith_context *runningContext = nullptr;

void say(const char *what, int signal) {
  char place[96] = "rank 0, step 0";
  if (runningContext)
    runningContext->describePlace(place, sizeof place);
  char text[256];
  int length = std::snprintf(text, sizeof text, "shardsmith: %s: %s (%s)\n",
                             place, what, strsignal(signal));
  [[maybe_unused]] ssize_t written =
      write(STDERR_FILENO, text, static_cast<size_t>(length));
}

/// Ends the rank as its launcher wishes, not without saying where it was. A
/// terminal sends its signals to all ranks at once: one says so.
void reportTermination(int signal) {
  removeTemporaryPaths();
  if (signal == SIGTERM)
    say("ended by its launcher", signal);
  else if (!runningContext || runningContext->rank() == 0)
    say("ended", signal);
  _exit(128 + signal);
}

/// Tells the other ranks before a crash ends this one.
void reportCrash(int signal) {
  say("crashed", signal);
  removeTemporaryPaths();
  if (runningContext)
    runningContext->transport->announceFailure(ExitCode::Internal);
  raise(signal); // the handler is gone: this ends the process
}

/// Only ranks handle signals in this way; a launcher has its own.
void installHandlers() {
  struct sigaction action{};
  action.sa_handler = reportCrash;
  action.sa_flags = SA_RESETHAND | SA_NODEFER;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(signal, &action, nullptr);
  action.sa_handler = reportTermination;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction inherited{};
    sigaction(signal, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) // as under nohup
      sigaction(signal, &action, nullptr);
  }
}

std::string ownPath() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : "";
}

void checkRanks(const Manifest &manifest, int ranks, std::string_view source) {
  if (ranks != manifest.ranks)
    fail(ExitCode::BadInput,
         "the plan of this program is for {} ranks, but {} gives {}; start it "
         "with --ranks {}, or compile a plan for {} ranks",
         manifest.ranks, source, ranks, manifest.ranks, ranks);
}

/// Runs all ranks as children and returns their exit code.
int launch(int ranks, int argumentCount, char **arguments) {
  LocalLaunch request;
  request.program = ownPath();
  request.arguments.assign(arguments + 1, arguments + argumentCount);
  request.ranks = ranks;
  return launchLocal(request);
}

void runRank(const Manifest &manifest, const LaunchEnvironment &environment,
             const Options &options, const EngineFactory &makeEngine) {
  installHandlers();
  ThreadTeam team(chooseThreadCount(environment.localRanks));
  GroupTable groups(manifest, environment.rank);
  smith_context context(manifest, environment,
                        makeTransport(options.transport, groups,
                                      manifest.textHash, environment, team,
                                      TransportOptions{options.deadline}),
                        team, groups);
  runningContext = &context;
  try {
    train(context, options, makeEngine,
          context.transport->allocateArena(
              arenaBytesOf(manifest, context.rank())));
    context.transport->finish();
  } catch (const Failure &failure) {
    context.end(failure);
  } catch (const std::exception &error) {
    context.end(Failure(ExitCode::Internal, error.what()));
  }
  runningContext = nullptr;
}

int run(int argumentCount, char **arguments, const ProgramParts &parts) {
  LaunchEnvironment environment = readLaunchEnvironment();
  // What all ranks find wrong with the command line, one of them says.
  bool isSpeaker = environment.rank == 0;
  int exitCode = 0;
  std::optional<Options> options = readOptions(
      argumentCount, arguments, isSpeaker, parts.isForGpus, exitCode);
  if (!options)
    return exitCode;
  Manifest manifest = readManifest(parts.manifestText);
  if (environment.launcher.empty()) {
    int ranks = options->ranks.value_or(manifest.ranks);
    checkRanks(manifest, ranks, "--ranks");
    if (ranks > 1)
      return launch(ranks, argumentCount, arguments);
  }
  if (isSpeaker || environment.ranks == manifest.ranks)
    checkRanks(manifest, environment.ranks, environment.launcher);
  else
    return static_cast<int>(ExitCode::BadInput);
  runRank(manifest, environment, *options, parts.makeEngine);
  return static_cast<int>(ExitCode::Success);
}

int runGuarded(int argumentCount, char **arguments, const ProgramParts &parts) {
  prepareStandardStreams();
  try {
    return run(argumentCount, arguments, parts);
  } catch (const Failure &failure) {
    fmt::print(stderr, "shardsmith: {}\n", failure.what());
    return static_cast<int>(failure.code());
  } catch (const std::exception &error) {
    fmt::print(stderr, "shardsmith: {}\n", error.what());
    return static_cast<int>(ExitCode::Internal);
  }
}

} // namespace

int runProgram(int argumentCount, char **arguments,
               void (*step)(smith_context *, uint8_t *),
               const char *manifestText) {
  ProgramParts parts;
  parts.makeEngine = [step](smith_context &context, const Options &) {
    return std::make_unique<ProcessorEngine>(context, step);
  };
  parts.manifestText = manifestText;
  return runGuarded(argumentCount, arguments, parts);
}

int runDeviceProgram(int argumentCount, char **arguments,
                     const EngineFactory &makeEngine,
                     std::string_view manifestText) {
  return runGuarded(argumentCount, arguments, {makeEngine, manifestText, true});
}

} // namespace shardsmith::runtime
