// SPDX-License-Identifier: Apache-2.0
//
// The last exchanges that a rank has put into streams of its GPU, and how far
// the GPU has come with them: what a rank tells when a peer fails.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_FLIGHTLOG_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_FLIGHTLOG_H

#include "Streams.h"

#include <deque>
#include <optional>

namespace shardsmith::runtime::cuda {

class FlightLog {
public:
  explicit FlightLog(Streams &streams) : streams(streams) {}

  /// Names what is put next, an exchange as the plan names it.
  void announce(const std::string &name) {
    next = name;
    isPut = false;
  }
  /// That exchange has been put into the stream.
  void add(int stream);

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
    int event = -1;
    bool hasEnded = false;
  };
  void update();
  void forget();

  Streams &streams;
  std::string next;
  bool isPut = true;
  std::deque<Entry> entries;
  std::vector<int> freeEvents;
  int64_t added = 0, ended = 0;
  /// Asking for all events takes time: it is done when there are so many.
  size_t forgetAt = 64;
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_FLIGHTLOG_H
