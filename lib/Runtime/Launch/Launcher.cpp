// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Launch/Launcher.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shardsmith::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int environmentError = 6;
constexpr int timeLimitReached = 124;

/// A signal for us that the ranks must see too, zero: none.
volatile std::sig_atomic_t receivedSignal = 0;
void rememberSignal(int signal) { receivedSignal = signal; }

/// Passes signals to `rememberSignal` while it lives. SIGCHLD interrupts the
/// launcher's sleep when a rank ends.
class SignalScope {
public:
  SignalScope() {
    receivedSignal = 0;
    struct sigaction action{};
    action.sa_handler = rememberSignal;
    for (size_t i = 0; i < passedOn.size(); ++i) {
      sigaction(passedOn[i], nullptr, &old[i]);
      if (old[i].sa_handler != SIG_IGN) // as under nohup
        sigaction(passedOn[i], &action, nullptr);
    }
  }
  ~SignalScope() {
    for (size_t i = 0; i < passedOn.size(); ++i)
      sigaction(passedOn[i], &old[i], nullptr);
  }

private:
  static constexpr std::array passedOn{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, passedOn.size()> old;
};

int coreCount() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0)
    return 1;
  return std::max(1, CPU_COUNT(&cores));
}

/// NAME=VALUE strings for one rank: ours, then what we inherited.
std::vector<std::string> environmentOf(const LocalLaunch &launch, int rank,
                                       const std::string &job) {
  std::string ranks = std::to_string(launch.ranks);
  std::vector<std::string> variables{
      "RANK=" + std::to_string(rank),
      "WORLD_SIZE=" + ranks,
      "LOCAL_RANK=" + std::to_string(rank),
      "LOCAL_WORLD_SIZE=" + ranks,
      "SHARDSMITH_JOB=" + job,
  };
  // libgomp reads this once, when it is loaded. Its threads must not spin
  // between parallel regions where ranks share cores.
  if (launch.ranks > coreCount() && !std::getenv("OMP_WAIT_POLICY"))
    variables.push_back("OMP_WAIT_POLICY=passive");
  size_t own = variables.size();
  for (char **inherited = environ; *inherited; ++inherited) {
    std::string variable = *inherited;
    std::string name = variable.substr(0, variable.find('=') + 1);
    bool isReplaced =
        std::any_of(variables.begin(), variables.begin() + own,
                    [&](const std::string &o) { return o.starts_with(name); });
    if (!isReplaced)
      variables.push_back(std::move(variable));
  }
  return variables;
}

std::vector<char *> pointersTo(std::vector<std::string> &strings) {
  std::vector<char *> pointers;
  for (std::string &string : strings)
    pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Starts one rank; −1 on failure, with errno set.
pid_t start(const LocalLaunch &launch, int rank, const std::string &job) {
  std::vector<std::string> arguments{launch.program};
  arguments.insert(arguments.end(), launch.arguments.begin(),
                   launch.arguments.end());
  std::vector<std::string> variables = environmentOf(launch, rank, job);
  std::vector<char *> argumentPointers = pointersTo(arguments);
  std::vector<char *> variablePointers = pointersTo(variables);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child != 0)
    return child;

  // Only functions that are safe after fork from here on.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(environmentError);
  execve(argumentPointers[0], argumentPointers.data(), variablePointers.data());
  const char *reason = std::strerror(errno);
  for (const char *part : {"shardsmith: cannot start ", launch.program.c_str(),
                           ": ", reason, "\n"}) [[maybe_unused]]
    ssize_t written = write(STDERR_FILENO, part, std::strlen(part));
  _exit(environmentError);
}

int exitCodeOf(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// The running ranks, and what has become of the others.
class Ranks {
public:
  explicit Ranks(const LocalLaunch &launch) : launch(launch) {
    if (launch.timeLimit)
      limit = Clock::now() + *launch.timeLimit;
  }

  int run() {
    std::string job = std::to_string(getpid()) + "-" +
                      std::to_string(Clock::now().time_since_epoch().count());
    for (int rank = 0; rank < launch.ranks && result == 0; ++rank) {
      pid_t process = start(launch, rank, job);
      if (process > 0)
        processes.push_back(process);
      else
        stop(SIGKILL, environmentError);
    }
    while (!processes.empty()) {
      if (!collect())
        usleep(2000);
      followClock();
    }
    return result;
  }

private:
  void signalAll(int signal) {
    for (pid_t process : processes)
      kill(process, signal);
  }

  void stop(int signal, int code) {
    if (result == 0)
      result = code;
    signalAll(signal);
  }

  /// The others should notice by themselves and say what they see. If they
  /// do not they are asked to stop, and in the end made to.
  void beginGrace(int code) {
    result = code;
    termination = Clock::now() + launch.grace / 2;
    graceEnd = Clock::now() + launch.grace;
  }

  /// Takes note of ranks that have ended; whether there were any.
  bool collect() {
    bool any = false;
    for (size_t i = 0; i < processes.size();) {
      int status = 0;
      if (waitpid(processes[i], &status, WNOHANG) != processes[i]) {
        ++i;
        continue;
      }
      any = true;
      processes.erase(processes.begin() + i);
      if (int code = exitCodeOf(status); code != 0 && result == 0)
        beginGrace(code);
    }
    return any;
  }

  void followClock() {
    if (int signal = receivedSignal) {
      receivedSignal = 0;
      signalAll(signal);
      if (result == 0)
        beginGrace(128 + signal);
    }
    if (limit && Clock::now() > *limit) {
      std::fprintf(stderr, "shardsmith: time limit reached, ending all "
                           "ranks\n");
      limit.reset();
      stop(SIGKILL, timeLimitReached);
    }
    if (termination && Clock::now() > *termination) {
      termination.reset();
      signalAll(SIGTERM);
    }
    if (graceEnd && Clock::now() > *graceEnd)
      signalAll(SIGKILL);
  }

  const LocalLaunch &launch;
  std::vector<pid_t> processes;
  int result = 0;
  std::optional<Clock::time_point> limit;
  std::optional<Clock::time_point> termination;
  std::optional<Clock::time_point> graceEnd;
};

} // namespace

int launchLocal(const LocalLaunch &launch) {
  SignalScope signals;
  std::fflush(nullptr);
  return Ranks(launch).run();
}

} // namespace shardsmith::runtime
