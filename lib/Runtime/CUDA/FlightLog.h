// SPDX-License-Identifier: Apache-2.0
//
// The last exchanges that a rank has put into streams of its GPU, and how far
// the GPU has come with them: what a rank tells when a peer fails.
//
// Behind each exchange its stream copies a number, the mark of the exchange,
// into memory of the host that belongs to the stream:
//
//     stream 1   reduce ▸ copy 1 ▸ gather ▸ copy 2 ▸ …        seen[1] = 1
//
// Whatever the stream had before the exchange with that mark has ended. Unlike
// events that works in graphs (Graphs.h) as well: the marks of a graph are the
// same whenever it runs, and are forgotten when a step has ended.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_FLIGHTLOG_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_FLIGHTLOG_H

#include "Streams.h"

#include <deque>
#include <optional>

namespace shardsmith::runtime::cuda {

class FlightLog {
public:
  FlightLog(GpuContext &gpu, const Streams &streams)
      : gpu(gpu), streams(streams) {}
  FlightLog(const FlightLog &) = delete;
  FlightLog &operator=(const FlightLog &) = delete;

  /// Names what is put next, an exchange as the plan names it.
  void announce(const std::string &name) {
    next = name;
    isPut = false;
  }
  /// That exchange has been put into the stream.
  void add(int stream);
  /// What is added until `endGraph` runs whenever the graph does.
  void beginGraph();
  void endGraph() { isInGraph = false; }
  /// The graph has been put into a stream.
  void addGraph();
  /// The host has waited for a step.
  void endStep();

  /// The one that was announced and is not in its stream yet, or nothing.
  std::optional<std::string> announced() const {
    return isPut ? std::nullopt : std::optional(next);
  }

  /// How many exchanges are known to have ended: grows as the GPU makes
  /// progress.
  int64_t endedCount();
  /// The first exchange that has not ended, or nothing.
  std::optional<std::string> unfinished();
  /// One line per exchange, oldest first: "    42  ended    all_reduce …". The
  /// last that have ended, and the first that have not.
  std::string describe();

private:
  /// How many that have ended are remembered, and are described of those that
  /// have not.
  static constexpr size_t remembered = 8;
  struct Entry {
    int64_t number = 0; ///< since the start of the rank
    std::string name;
    int stream = 0;
    uint32_t mark = 0;
    bool hasEnded = false;
  };
  void prepare();
  void update();
  void forget();

  GpuContext &gpu;
  const Streams &streams;
  std::string next;
  bool isPut = true, isInGraph = false;
  std::deque<Entry> entries;
  std::vector<Entry> ofGraph;
  int64_t added = 0, ended = 0;
  /// Looking at all takes time: it is done when there are so many.
  size_t forgetAt = 64;

  /// In memory of the device: 1, 2, 3, …
  DevicePointer marks = 0;
  int64_t usedMarks = 0;
  /// By stream, in memory of the host: the last mark that it came to, or 0.
  uint32_t *seen = nullptr;
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_FLIGHTLOG_H
