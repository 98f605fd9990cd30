// SPDX-License-Identifier: Apache-2.0

#include "../Heading.h"
#include "Templates.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

constexpr Launcher all[] = {
    {"torchrun", "node.sh"},
    {"slurm", "launch.sbatch", slurmText, /*startsMpi=*/true},
    {"kubernetes", "launch.yaml", kubernetesText},
    {"ray", "launch-ray.py", rayText},
    {"spark", "launch-spark.py", sparkText},
    {"mpirun", "launch-mpirun.sh", mpirunText, /*startsMpi=*/true},
};

constexpr std::string_view torchrun =
    "torchrun --nnodes @NODES@ --nproc-per-node @LOCAL@ \\\n"
    "  --node-rank \"$NODE_RANK\" --master-addr \"$MASTER_ADDR\" \\\n"
    "  --master-port \"${MASTER_PORT:-29500}\"";

/// What starts the ranks of one node. `"$@"` is the training script with its
/// arguments, or options of our program.
std::string nodeCommand(const LaunchRequest &request) {
  if (request.target)
    return std::string(request.target->start);
  // The one process of a launcher's that this is would be taken for a rank.
  return fmt::format("unset WORLD_SIZE OMPI_COMM_WORLD_SIZE "
                     "SLURM_STEP_NUM_TASKS\n"
                     "{}exec {} --ranks @LOCAL@ {} \"$@\"\n",
                     checkpointLines, shellQuoted(request.program),
                     checkpointOptions);
}

std::string nodeText(const LaunchRequest &request, const EmitInput &input,
                     const Launcher &launcher) {
  std::string start = "sh node.sh TRAIN.py …";
  if (!request.target)
    start = "sh node.sh --steps 100 …";
  if (request.nodes > 1)
    start = fmt::format(
        "on each of {} nodes: NODE_RANK=0 MASTER_ADDR=HOST-OF-NODE-0 {}",
        request.nodes, start);
  if (launcher.text)
    start = fmt::format("by {}", launcher.file);
  return "#!/bin/sh\n" + commentsOf(headingOf(input, start)) +
         "#\n# Starts the @LOCAL@ ranks of one node. NODE_RANK is its number, "
         "in the order\n"
         "# of the cluster's description; node 0 is at MASTER_ADDR. "
         "CHECKPOINTS and\n"
         "# DATA are folders that all nodes see.\n"
         "set -eu\n"
         "folder=$(dirname \"$0\")\n"
         "export NODE_RANK=\"${NODE_RANK:-0}\"\n"
         "export MASTER_ADDR=\"${MASTER_ADDR:-localhost}\"\n"
         "export CHECKPOINTS=\"${CHECKPOINTS:-}\" DATA=\"${DATA:-}\"\n" +
         nodeCommand(request);
}

} // namespace

std::span<const Launcher> launchers() { return all; }

const Launcher *launcherNamed(std::string_view name) {
  auto found = std::ranges::find(all, name, &Launcher::name);
  return found == std::end(all) ? nullptr : found;
}

bool needsMpi(const LaunchRequest &request) {
  return !request.target && request.nodes > 1;
}

std::string filled(std::string text, const LaunchRequest &request) {
  const std::pair<std::string, std::string> words[] = {
      {"@TORCHRUN@", std::string(torchrun)},
      {"@NODES@", std::to_string(request.nodes)},
      {"@LOCAL@", std::to_string(request.perNode)},
      {"@RANKS@", std::to_string(request.nodes * request.perNode)},
      {"@PROGRAM@", shellQuoted(request.program)},
  };
  for (const auto &[word, value] : words)
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;
         at += value.size())
      text.replace(at, word.size(), value);
  return text;
}

std::string shellQuoted(const std::string &text) {
  std::string quoted = "'";
  for (char letter : text)
    quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

LaunchRequest launchRequestOf(const Strategy &strategy, const Cluster &cluster,
                              std::vector<Obstacle> &obstacles) {
  LaunchRequest request;
  const Node &first = cluster.groups.front().node;
  for (const Group &group : cluster.groups)
    if (group.node.deviceCount() != first.deviceCount())
      obstacles.push_back({"nodes with different numbers of devices",
                           "a cluster of one kind of node"});
  if (cluster.usableDevices().size() != size_t(cluster.deviceCount()))
    obstacles.push_back({"excluded devices", "a cluster without them"});
  int64_t ranks = strategy.rankCount();
  request.perNode = std::min(first.deviceCount(), ranks);
  request.nodes = ceilDivide(ranks, request.perNode);
  if (ranks % request.perNode != 0)
    obstacles.push_back(
        {fmt::format("{} ranks on nodes of {}", ranks, request.perNode),
         fmt::format("devices={}", ranks / request.perNode * request.perNode)});
  request.hasGpus =
      cluster.deviceTypes.at(first.devices.front().type).kind == "gpu";
  return request;
}

Emission emitLaunch(const Launcher &launcher, const LaunchRequest &request,
                    const EmitInput &input) {
  Emission emission;
  if (request.target && request.target->startsRanks)
    emission.obstacles.push_back(
        {fmt::format("that another launcher starts {}, which starts its ranks "
                     "itself",
                     request.target->runtime),
         fmt::format("{}.sh alone", request.target->name)});
  if (needsMpi(request) && !launcher.startsMpi)
    emission.obstacles.push_back(
        {fmt::format("that {} starts a program on {} nodes, whose ranks "
                     "exchange over MPI",
                     launcher.name, request.nodes),
         "--launch slurm or --launch mpirun"});
  if (!emission.obstacles.empty())
    return emission;
  // Ranks of MPI are started one by one, and not by a node's script.
  if (!needsMpi(request))
    emission.files.push_back(
        {"node.sh", filled(nodeText(request, input, launcher), request), true});
  if (launcher.text)
    emission.files.push_back({std::string(launcher.file),
                              filled(launcher.text(request), request),
                              launcher.file.ends_with(".sh")});
  return emission;
}

} // namespace shardsmith::emit
