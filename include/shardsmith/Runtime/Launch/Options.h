// SPDX-License-Identifier: Apache-2.0
//
// The command line of an emitted program.

#ifndef SHARDSMITH_RUNTIME_LAUNCH_OPTIONS_H
#define SHARDSMITH_RUNTIME_LAUNCH_OPTIONS_H

#include "shardsmith/Runtime/Files/BatchSource.h"
#include "shardsmith/Runtime/Transport/TransportFactory.h"

#include <chrono>
#include <optional>
#include <string>

namespace shardsmith::runtime {

struct Options {
  std::optional<int> ranks; // to start where no launcher has
  int64_t steps = 10;
  DataOptions data;

  std::string initialWeights;
  std::string savedWeights; // folder
  std::string likeWeights;  // what `savedWeights` is to look like
  std::string inputs;
  std::string checkpointFolder;
  int64_t checkpointEvery = 0; // 0: only at the end
  bool resume = false;

  std::string metricsFile;
  std::string profile; // file
  std::string dumpOutputs;
  std::string saveInitial;
  std::string saveBatches;
  bool json = false;
  bool quiet = false;

  bool usesTf32 = false;        ///< of programs for GPUs
  bool sharesGpus = false;      ///< likewise
  bool exchangesOnHost = false; ///< likewise
  bool usesGraphs = true;       ///< likewise

  TransportChoice transport = TransportChoice::Automatic;
  std::chrono::milliseconds deadline = std::chrono::seconds(30);
};

/// Reads the command line. Returns nothing and sets `exitCode` when there is
/// nothing to run: after --help, or after a usage error. Of all ranks that
/// read the same command line one is the speaker and prints them.
/// Programs for GPUs have options of their own.
std::optional<Options> readOptions(int count, const char *const *arguments,
                                   bool isSpeaker, bool isForGpus,
                                   int &exitCode);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_LAUNCH_OPTIONS_H
