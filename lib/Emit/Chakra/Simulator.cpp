// SPDX-License-Identifier: Apache-2.0

#include "Simulator.h"

#include "../Heading.h"
#include "shardsmith/Support/Json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace shardsmith::emit::chakra {
namespace {

/// Each level as a switch, on which a device has what the cost model gives a
/// member when all are at work. The simulator's gigabytes are 2^30 bytes.
std::string networkText(const std::vector<PathLevel> &levels) {
  std::vector<std::string> kinds, counts, bandwidths, latencies;
  auto add = [&](int64_t count, double bytesPerSecond, double seconds) {
    kinds.emplace_back("Switch");
    counts.push_back(fmt::format("{}", count));
    bandwidths.push_back(
        fmt::format("{:.6g}", bytesPerSecond / double(int64_t(1) << 30)));
    latencies.push_back(fmt::format("{:.6g}", seconds * 1e9));
  };
  for (const PathLevel &level : levels)
    add(level.fanout, level.bytesPerSecond, level.latencySeconds);
  if (levels.empty())
    add(1, 1e9, 0);
  return fmt::format("topology: [ {} ]\n"
                     "npus_count: [ {} ]\n"
                     "bandwidth: [ {} ]  # GB/s of 2^30 bytes\n"
                     "latency: [ {} ]  # ns\n",
                     fmt::join(kinds, ", "), fmt::join(counts, ", "),
                     fmt::join(bandwidths, ", "), fmt::join(latencies, ", "));
}

/// Compute takes the times of the traces; with "roofline-enabled" it takes what
/// their operations and bytes give.
std::string systemText(const EmitInput &input, const DeviceType &device,
                       size_t levels) {
  std::vector<std::string> algorithms(std::max<size_t>(levels, 1), "ring");
  auto peak = device.flopsPerSecond.find(
      std::string(nameOf(input.workload.computeType)));
  double flops = peak == device.flopsPerSecond.end() ? 0 : peak->second / 1e12;
  return jsonText(
             nlohmann::ordered_json{
                 {"scheduling-policy", "LIFO"},
                 {"endpoint-delay", 10},
                 {"active-chunks-per-dimension", 1},
                 {"preferred-dataset-splits", 4},
                 {"all-reduce-implementation", algorithms},
                 {"all-gather-implementation", algorithms},
                 {"reduce-scatter-implementation", algorithms},
                 {"all-to-all-implementation", algorithms},
                 {"collective-optimization", "localBWAware"},
                 {"local-mem-bw", device.bytesPerSecond / 1e9},
                 {"peak-perf", flops},
                 {"roofline-enabled", 0},
                 {"boost-mode", 0}},
             2) +
         "\n";
}

/// The backend that follows congestion knows networks of one level alone.
std::string scriptText(const EmitInput &input, size_t levels) {
  std::string simulator = fmt::format("AstraSim_Analytical_Congestion_{}",
                                      levels > 1 ? "Unaware" : "Aware");
  return "#!/bin/sh\n" +
         commentsOf(headingOf(
             input, fmt::format("ASTRA_SIM=…/{} sh chakra.sh", simulator))) +
         fmt::format(
             "folder=$(dirname \"$0\")\n"
             "exec \"${{ASTRA_SIM:-{}}}\" \\\n"
             "  --workload-configuration=\"$folder/chakra\" \\\n"
             "  --system-configuration=\"$folder/chakra-system.json\" \\\n"
             "  --network-configuration=\"$folder/chakra-network.yml\" \\\n"
             "  --remote-memory-configuration=\"$folder/chakra-memory.json\" "
             "\\\n"
             "  --comm-group-configuration=\"$folder/chakra-groups.json\" "
             "\"$@\"\n",
             simulator);
}

} // namespace

std::vector<EmittedFile> simulatorFiles(const EmitInput &input,
                                        const DeviceType &device,
                                        const std::vector<PathLevel> &levels) {
  return {
      {"chakra.sh", scriptText(input, levels.size()), true},
      {"chakra-system.json", systemText(input, device, levels.size())},
      {"chakra-network.yml", networkText(levels)},
      {"chakra-memory.json", "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}\n"}};
}

} // namespace shardsmith::emit::chakra
