// SPDX-License-Identifier: Apache-2.0
//
// # Collective test starting: all_reduce_perf
// #  Rank  0 Group  0 Pid  7 on  box device  0 [0x1b] NVIDIA H100 80GB HBM3
// #       size   count   type  redop  root   time  algbw  busbw #wrong   time …
//     67108864  16777216  float    sum    -1  281.5  238.4  417.2      0  280.9
//     …

#include "Words.h"

#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cluster/NcclTests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace shardsmith {
namespace {

struct Program {
  std::string_view name;
  const char *collective;
};

constexpr Program programs[] = {
    {"all_reduce_perf", "all_reduce"},
    {"all_gather_perf", "all_gather"},
    {"reduce_scatter_perf", "reduce_scatter"},
    {"alltoall_perf", "all_to_all"},
    {"broadcast_perf", "broadcast"},
    {"sendrecv_perf", "send"},
};

/// Of element types by the programs' names; others are not needed to price.
std::string elementType(std::string_view name) {
  constexpr std::pair<std::string_view, const char *> types[] = {
      {"float", "f32"},     {"half", "f16"},  {"bfloat16", "bf16"},
      {"double", "f64"},    {"int8", "i8"},   {"uint8", "ui8"},
      {"int32", "i32"},     {"int64", "i64"}, {"f8e4m3", "f8E4M3FN"},
      {"f8e5m2", "f8E5M2"},
  };
  for (auto [known, type] : types)
    if (name == known)
      return type;
  return std::string(name);
}

class Reader {
public:
  std::optional<std::vector<NcclTestsRun>> read(std::string_view text,
                                                std::string &error) {
    for (const std::string &line : detect::plainLines(text)) {
      ++number;
      if (!readLine(line)) {
        error = fmt::format("line {}: {}", number, problem);
        return std::nullopt;
      }
    }
    if (!finishRun()) {
      error = problem;
      return std::nullopt;
    }
    if (runs.empty()) {
      error = "expected lines of sizes and times as nccl-tests print them, "
              "found none";
      return std::nullopt;
    }
    return std::move(runs);
  }

private:
  bool readLine(const std::string &line) {
    for (const Program &program : programs)
      if (line.find(program.name) != std::string::npos) {
        if (!run.curve.points.empty() && !finishRun())
          return false;
        run.curve.collective = program.collective;
        return true;
      }
    std::vector<std::string> fields = detect::words(line);
    if (fields.size() > 2 && fields[0] == "#" && fields[1] == "Rank")
      return readRank(fields);
    if (fields.size() < 9 || !detect::wholeNumber(fields[0], INT64_MAX))
      return true;
    return readTimes(fields);
  }

  bool readRank(const std::vector<std::string> &fields) {
    if (!run.curve.points.empty() && !finishRun())
      return false;
    ++run.curve.groupSize;
    auto on = std::ranges::find(fields, "on");
    if (on != fields.end() && on + 1 != fields.end() &&
        std::ranges::find(run.hosts, *(on + 1)) == run.hosts.end())
      run.hosts.push_back(*(on + 1));
    return true;
  }

  /// size, count, type, operation, root, time, two bandwidths, wrong elements.
  bool readTimes(const std::vector<std::string> &fields) {
    int64_t bytes = *detect::wholeNumber(fields[0], INT64_MAX);
    char *end = nullptr;
    double microseconds = std::strtod(fields[5].c_str(), &end);
    if (*end != '\0' || !std::isfinite(microseconds) || microseconds < 0 ||
        microseconds > 1e12) {
      problem = fmt::format("expected a time in us in the sixth column, found "
                            "\"{}\"",
                            fields[5]);
      return false;
    }
    if (fields[8] != "0" && fields[8] != "N/A") {
      problem = fmt::format("the run has {} wrong elements; its times are not "
                            "taken",
                            fields[8]);
      return false;
    }
    run.curve.dtype = elementType(fields[2]);
    // Sizes that no rank has an element of take no time.
    if (bytes == 0 || microseconds == 0)
      return true;
    if (!run.curve.points.empty() && bytes <= run.curve.points.back().bytes) {
      problem = fmt::format("expected sizes that rise, found {} after {}",
                            bytes, run.curve.points.back().bytes);
      return false;
    }
    run.curve.points.push_back({bytes, microseconds * 1e-6});
    return true;
  }

  bool finishRun() {
    if (run.curve.points.empty())
      return true;
    if (run.curve.collective.empty()) {
      problem = "the output does not say which program it is of; keep its line "
                "\"# Collective test starting: …\", or write \"# "
                "all_reduce_perf\" above it";
      return false;
    }
    if (run.curve.groupSize < 2) {
      problem = fmt::format("expected lines \"# Rank …\" of two ranks or more "
                            "before the times, found {}",
                            run.curve.groupSize);
      return false;
    }
    runs.push_back(std::move(run));
    run = {};
    return true;
  }

  std::vector<NcclTestsRun> runs;
  NcclTestsRun run;
  size_t number = 0;
  std::string problem;
};

} // namespace

std::optional<std::vector<NcclTestsRun>> readNcclTests(std::string_view text,
                                                       std::string &error) {
  return Reader().read(text, error);
}

bool addMeasured(Cluster &cluster, const std::vector<NcclTestsRun> &runs,
                 std::string &error) {
  if (cluster.groups.size() != 1) {
    error = fmt::format("the cluster has {} groups of nodes, and the output "
                        "does not say on which it was measured; write "
                        "\"calibration\" into the file, or measure a cluster "
                        "of one group",
                        cluster.groups.size());
    return false;
  }
  const Group &group = cluster.groups.front();
  for (const NcclTestsRun &run : runs) {
    Calibration curve = run.curve;
    const bool isOneNode = run.hosts.size() < 2;
    int64_t most = isOneNode ? group.node.deviceCount() : group.deviceCount();
    if (curve.groupSize > most) {
      error =
          fmt::format("{} of {} ranks on {}, and the cluster has {} devices "
                      "{}",
                      curve.collective, curve.groupSize,
                      isOneNode ? "one machine" : "several machines", most,
                      isOneNode ? "in a node" : "in all");
      return false;
    }
    curve.scope = isOneNode ? group.name + ".node" : group.name;
    std::erase_if(cluster.calibration, [&](const Calibration &older) {
      return older.collective == curve.collective &&
             older.scope == curve.scope && older.groupSize == curve.groupSize;
    });
    cluster.calibration.push_back(curve);
  }
  ClusterResult read = readCluster(cluster.toJson());
  if (!read.cluster) {
    error = read.errorText();
    return false;
  }
  // Times and bandwidths that fall with size are repaired there.
  cluster = std::move(*read.cluster);
  return true;
}

} // namespace shardsmith
