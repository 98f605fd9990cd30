// SPDX-License-Identifier: Apache-2.0
//
// Starts all ranks of a program as processes of this machine and waits for
// them.

#ifndef SHARDSMITH_RUNTIME_LAUNCH_LAUNCHER_H
#define SHARDSMITH_RUNTIME_LAUNCH_LAUNCHER_H

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace shardsmith::runtime {

struct LocalLaunch {
  std::string program;                // path of the executable
  std::vector<std::string> arguments; // without the program's name
  int ranks = 1;
  /// How long the other ranks may take to stop by themselves, with their own
  /// message, after one has failed.
  std::chrono::milliseconds grace = std::chrono::seconds(8);
  /// Ends all ranks when it has passed, with exit code 124.
  std::optional<std::chrono::milliseconds> timeLimit;
};

/// Runs the ranks with inherited standard streams. Returns 0 if all returned
/// 0, else the exit code of the rank that failed first; a rank ended by
/// signal s counts as 128 + s. SIGINT, SIGTERM and SIGHUP are passed on to the
/// ranks, and no rank outlives this process. Reports failures to start on
/// stderr and returns 6.
int launchLocal(const LocalLaunch &launch);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_LAUNCH_LAUNCHER_H
