// SPDX-License-Identifier: Apache-2.0
//
// Files that start a plan's ranks on several nodes, through what a site has for
// that. All of them start `node.sh` once per node, which starts the node's
// ranks; what differs is who says which node is which. docs/emit.md shows the
// use.

#ifndef SHARDSMITH_EMIT_LAUNCH_H
#define SHARDSMITH_EMIT_LAUNCH_H

#include "shardsmith/Emit/Emit.h"

namespace shardsmith::emit {

struct LaunchRequest;

struct Launcher {
  /// As `--launch` has it.
  std::string_view name;
  /// The file that starts all nodes; `node.sh` is beside it.
  std::string_view file;
  /// What is in it; null where `node.sh` is all there is.
  std::string (*text)(const LaunchRequest &) = nullptr;
  /// Ranks of MPI can be started by it.
  bool startsMpi = false;
};
/// In the order of help.
std::span<const Launcher> launchers();
const Launcher *launcherNamed(std::string_view name);

/// The ranks, and who starts them.
struct LaunchRequest {
  /// Null for a program that `compile` has made.
  const Target *target = nullptr;
  /// The program, where there is no target.
  std::string program;
  int64_t nodes = 1;
  /// Ranks of each.
  int64_t perNode = 1;
  /// Devices are GPUs that a scheduler gives out.
  bool hasGpus = false;
};

/// Nodes and ranks of the plan; with an obstacle where nodes are not alike, or
/// are not filled evenly.
LaunchRequest launchRequestOf(const Strategy &strategy, const Cluster &cluster,
                              std::vector<Obstacle> &obstacles);

/// The files of a launch: `node.sh` and, but for torchrun, the launcher's.
Emission emitLaunch(const Launcher &launcher, const LaunchRequest &request,
                    const EmitInput &input);

} // namespace shardsmith::emit

#endif // SHARDSMITH_EMIT_LAUNCH_H
