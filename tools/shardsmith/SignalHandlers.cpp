// SPDX-License-Identifier: Apache-2.0
//
// SIGINT, SIGTERM and SIGHUP, from before `main` to the end of the process:
//
//   while an InterruptFlag lives   the first one sets the flag, and the search
//                                  that looks at it ends with its best plan so
//                                  far; the next one is as below
//   at any other time              temporary files are removed and the process
//                                  ends at once
//
// Either way the exit code is 124. A signal that the process inherited as
// ignored, as under nohup, stays ignored.

#include "shardsmith/Driver/Interrupt.h"
#include "shardsmith/Support/ExitCode.h"
#include "shardsmith/Support/TemporaryPath.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <unistd.h>

namespace shardsmith {
namespace {

const char *wordFor(int signal) {
  switch (signal) {
  case SIGINT:
    return "note: interrupted\n";
  case SIGTERM:
    return "note: ended by SIGTERM\n";
  default:
    return "note: ended by SIGHUP\n";
  }
}

void onSignal(int signal) {
  int error = errno;
  if (InterruptFlag::set()) {
    errno = error;
    return;
  }
  removeTemporaryPaths();
  const char *word = wordFor(signal);
  [[maybe_unused]] ssize_t written =
      write(STDERR_FILENO, word, std::strlen(word));
  _exit(static_cast<int>(ExitCode::TimeLimit));
}

void installHandlers(int, char **, char **) {
  struct sigaction action = {};
  action.sa_handler = onSignal;
  // A read or write that a signal interrupts goes on: only the search looks.
  action.sa_flags = SA_RESTART;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction inherited = {};
    sigaction(signal, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN)
      sigaction(signal, &action, nullptr);
  }
}

/// The loader calls this before it initialises the libraries, which takes
/// longer than anything else before `main`.
[[gnu::used, gnu::section(".preinit_array")]] void (*const beforeAll)(
    int, char **, char **) = installHandlers;

} // namespace
} // namespace shardsmith
