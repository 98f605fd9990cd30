// SPDX-License-Identifier: Apache-2.0

#include "LocalMachine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sched.h>

namespace shardsmith::cluster {
namespace {

/// Cores this process may use, which containers limit by affinity.
int64_t countCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0)
    return 1;
  return std::max(1, CPU_COUNT(&set));
}

/// The number behind the colon of a line "KEY   : NUMBER …"; 0 if the line is
/// another one.
double numberOf(const std::string &line, std::string_view key) {
  size_t colon = line.find(':');
  if (!line.starts_with(key) || colon == std::string::npos)
    return 0;
  return std::strtod(line.c_str() + colon + 1, nullptr);
}

Bytes totalMemory() {
  std::ifstream file("/proc/meminfo");
  std::string line;
  while (std::getline(file, line))
    if (double kibibytes = numberOf(line, "MemTotal"))
      return Bytes(int64_t(kibibytes)) * 1024;
  return Bytes(int64_t(4) << 30);
}

} // namespace

LocalMachine inspectLocalMachine() {
  LocalMachine machine;
  machine.cores = countCores();
  machine.memory = totalMemory();
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    machine.hertz = std::max(machine.hertz, numberOf(line, "cpu MHz") * 1e6);
    if (!line.starts_with("flags"))
      continue;
    // Two fused multiply-adds per cycle on vectors of 16 or 8 floats.
    if (line.find(" avx512f") != std::string::npos) {
      machine.flopsPerCycle = 64;
      machine.arch = "x86-64-v4";
    } else if (line.find(" fma") != std::string::npos) {
      machine.flopsPerCycle = 32;
      machine.arch = "x86-64-v3";
    }
  }
  return machine;
}

Cluster makeLocalCluster(int64_t ranks, const LocalMachine &machine) {
  // Figures are those of one core of current server processors under four
  // ranks: 16 GB/s of copies, a shared-memory all-reduce of 4 GB/s and 3.6 us.
  constexpr double copyBytesPerSecond = 16e9;
  constexpr double linkBytesPerSecond = 4e9;
  constexpr double linkSeconds = 3.6e-6;

  // As the runtime deals them out (chooseThreadCount): a rank has a thread per
  // core of its own, or shares one.
  int64_t coresOfRank = machine.cores / std::max<int64_t>(ranks, 1);
  double share = coresOfRank > 0 ? double(coresOfRank)
                                 : double(machine.cores) / double(ranks);
  DeviceType type;
  type.kind = "cpu";
  type.arch = machine.arch;
  type.memory = Bytes(machine.memory.count() / ranks);
  type.reserved = Bytes(type.memory.count() / 25);
  type.bytesPerSecond = copyBytesPerSecond * share;
  type.flopsPerSecond = {
      {"f32", machine.hertz * machine.flopsPerCycle * share},
      {"f64", machine.hertz * machine.flopsPerCycle * share / 2}};
  type.matmulEfficiency = 0.9;
  type.launch = Nanoseconds(500);

  LinkType link;
  link.kind = "shared-memory";
  link.bytesPerSecond = linkBytesPerSecond * share;
  link.latencySeconds = linkSeconds;

  Cluster cluster;
  cluster.name = fmt::format("cpu:{}", ranks);
  cluster.provenance = Provenance::Estimated;
  cluster.identity =
      fmt::format("{} {} cores {} {} GiB", cluster.name, machine.cores,
                  machine.arch, (machine.memory.count() + (1 << 29)) >> 30);
  cluster.deviceTypes["core"] = type;
  Group group;
  group.name = "local";
  group.node.devices = {{"core", ranks}};
  group.node.fabricTopology = "full";
  if (ranks > 1) {
    cluster.linkTypes["memory"] = link;
    group.node.fabricLink = "memory";
  }
  cluster.groups.push_back(group);
  return cluster;
}

Cluster makeLocalCluster(int64_t ranks) {
  return makeLocalCluster(ranks, inspectLocalMachine());
}

} // namespace shardsmith::cluster
