// SPDX-License-Identifier: Apache-2.0

#include "MachineMeasurement.h"

#include "shardsmith/Driver/Session.h"
#include "shardsmith/Runtime/Launch/Launcher.h"
#include "shardsmith/Support/ReadFile.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace shardsmith {
namespace {

RankRates readRates(int64_t ranks, const nlohmann::json &json) {
  RankRates rates;
  rates.ranks = ranks;
  for (const auto &[type, tflops] : json["tflops"].items())
    rates.flopsPerSecond[type] = tflops.get<double>() * 1e12;
  rates.bytesPerSecond = json["stream_bytes_per_s"];
  rates.kernelSeconds = json["kernel_s"];
  rates.messageSeconds = json.value("message_s", 0.0);
  rates.messageBytesPerSecond = json.value("message_bytes_per_s", 0.0);
  for (const char *name :
       {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"})
    for (const nlohmann::json &entry : json["collectives"])
      if (entry["collective"] == name)
        rates.collectives.push_back({name, entry["members"], entry["latency_s"],
                                     entry["bytes_per_s"], 1});
  return rates;
}

} // namespace

RankRates measureRanks(int64_t ranks,
                       const std::vector<std::string> &hiddenOptions) {
  std::string file =
      (std::filesystem::temp_directory_path() /
       fmt::format("shardsmith-rates-{}-{}.json", getpid(), ranks))
          .string();
  runtime::LocalLaunch launch;
  launch.program = "/proc/self/exe";
  launch.arguments = hiddenOptions;
  launch.arguments.push_back(file);
  launch.ranks = int(ranks);
  launch.timeLimit = std::chrono::seconds(120);
  int code = runtime::launchLocal(launch);
  std::string error;
  std::optional<std::string> text = readFile(file, error);
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  if (code != 0 || !text)
    fail(ExitCode::Environment,
         fmt::format("measuring {} ranks ended with code {}", ranks, code));
  return readRates(ranks, nlohmann::json::parse(*text));
}

} // namespace shardsmith
