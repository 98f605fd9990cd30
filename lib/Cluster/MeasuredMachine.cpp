// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cluster/MeasuredMachine.h"

#include "LocalMachine.h"
#include "shardsmith/Support/ReadFile.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace shardsmith {
namespace {

namespace fs = std::filesystem;

constexpr const char *deviceName = "core";
constexpr const char *linkName = "memory";

ClusterResult readDescription(const std::string &path, int64_t ranks) {
  ClusterResult result;
  std::string error;
  std::optional<std::string> text = readFile(path, error);
  if (!text) {
    result.errors.push_back({path, error});
    return result;
  }
  result = readCluster(*text);
  for (ClusterIssue &issue : result.errors)
    issue.pointer = path + ":" + issue.pointer;
  if (result.cluster && result.cluster->deviceCount() != ranks) {
    result.cluster.reset();
    result.errors.push_back(
        {path, fmt::format("expected a description of {} ranks; run "
                           "'shardsmith doctor --measure' again",
                           ranks)});
  }
  return result;
}

/// The number in `cpu-8.json`; zero if the name has none.
int64_t countIn(std::string_view name) {
  constexpr std::string_view start = "cpu-";
  int64_t ranks = 0;
  if (name.starts_with(start))
    std::from_chars(name.data() + start.size(), name.data() + name.size(),
                    ranks);
  return ranks;
}

/// Numbers of ranks with a description in `folder`, ascending.
std::vector<int64_t> measuredCounts(const std::string &folder) {
  std::vector<int64_t> counts;
  std::error_code ignored;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(folder, ignored)) {
    int64_t ranks = countIn(entry.path().filename().string());
    if (ranks > 0 && entry.path() == measuredFile(folder, ranks))
      counts.push_back(ranks);
  }
  std::sort(counts.begin(), counts.end());
  return counts;
}

/// The number of ranks that says most about `ranks`: the largest that is not
/// above it. A single rank says nothing about links.
std::optional<int64_t> nearest(const std::vector<int64_t> &counts,
                               int64_t ranks) {
  std::optional<int64_t> best;
  for (int64_t count : counts) {
    if (ranks > 1 && count == 1)
      continue;
    if (!best || count <= ranks)
      best = count;
  }
  return best;
}

/// The machine does as much in all, whatever the number of ranks.
void shareAmong(Cluster &cluster, int64_t ranks) {
  double share = double(cluster.deviceCount()) / double(ranks);
  DeviceType &type = cluster.deviceTypes[deviceName];
  type.bytesPerSecond *= share;
  for (auto &[name, rate] : type.flopsPerSecond)
    rate *= share;
  type.memory = Bytes(int64_t(double(type.memory.count()) * share));
  type.reserved = Bytes(int64_t(double(type.reserved.count()) * share));
  for (auto &[name, link] : cluster.linkTypes) {
    link.bytesPerSecond *= share;
    for (CollectiveFit &fit : link.collectiveFits)
      fit.bytesPerSecond *= share;
  }
  cluster.groups.front().node.devices = {{deviceName, ranks}};
  if (ranks == 1) {
    cluster.linkTypes.clear();
    cluster.groups.front().node.fabricLink.clear();
  }
}

} // namespace

Cluster clusterOf(const RankRates &rates) {
  cluster::LocalMachine machine = cluster::inspectLocalMachine();
  Cluster cluster = cluster::makeLocalCluster(rates.ranks, machine);
  cluster.provenance = Provenance::Measured;
  cluster.identity.clear();
  cluster.groups.front().node.hostCores = machine.cores;
  DeviceType &type = cluster.deviceTypes[deviceName];
  type.flopsPerSecond = rates.flopsPerSecond;
  type.bytesPerSecond = rates.bytesPerSecond;
  type.launch = Nanoseconds(std::llround(rates.kernelSeconds * 1e9));
  // What was measured is what kernels get.
  type.matmulEfficiency = type.memoryEfficiency = 1;
  if (rates.ranks > 1) {
    LinkType &link = cluster.linkTypes[linkName];
    link.bytesPerSecond = rates.messageBytesPerSecond;
    link.latencySeconds = rates.messageSeconds;
    link.efficiency = 1;
    link.collectiveFits = rates.collectives;
  }
  return cluster;
}

std::string measuredFolder() {
  if (const char *folder = std::getenv("SHARDSMITH_MACHINE"))
    return folder;
  const char *cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache)
    return fs::path(cache) / "shardsmith" / "machine";
  const char *home = std::getenv("HOME");
  if (home && *home)
    return fs::path(home) / ".cache" / "shardsmith" / "machine";
  return "";
}

std::string measuredFile(const std::string &folder, int64_t ranks) {
  return fs::path(folder) / fmt::format("cpu-{}.json", ranks);
}

ClusterResult findMeasured(const std::string &folder, int64_t ranks) {
  if (folder.empty())
    return {};
  std::optional<int64_t> count = nearest(measuredCounts(folder), ranks);
  if (!count)
    return {};
  ClusterResult result = readDescription(measuredFile(folder, *count), *count);
  if (!result.cluster)
    return result;
  Cluster &cluster = *result.cluster;
  if (!cluster.deviceTypes.contains(deviceName) ||
      cluster.groups.front().node.hostCores !=
          cluster::inspectLocalMachine().cores)
    return {};
  if (*count != ranks)
    shareAmong(cluster, ranks);
  cluster.name = fmt::format("cpu:{}", ranks);
  return result;
}

} // namespace shardsmith
