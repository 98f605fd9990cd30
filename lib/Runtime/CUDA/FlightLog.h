// SPDX-License-Identifier: Apache-2.0
//
// The last exchanges that a rank has put into streams of its GPU, and how far
// the GPU has come with them: what a rank tells when a peer fails.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_FLIGHTLOG_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_FLIGHTLOG_H

#include "Streams.h"

#include <array>
#include <optional>

namespace shardsmith::runtime::cuda {

class FlightLog {
public:
  explicit FlightLog(Streams &streams) : streams(streams) {}

  /// Names the exchange that is put next, as the plan names it.
  void announce(const std::string &name) { next = name; }
  /// That exchange has been put into the stream.
  void add(int stream);

  /// How many exchanges are known to have ended: grows as the GPU makes
  /// progress.
  int64_t endedCount();
  /// The first exchange that has not ended, or nothing.
  std::optional<std::string> unfinished();
  /// One line per exchange, oldest first: "    42  ended    all_reduce …".
  std::string describe();

private:
  static constexpr size_t capacity = 16;
  struct Entry {
    std::string name;
    int event = -1;
    bool hasEnded = true;
  };
  Entry &at(int64_t number) {
    return entries[static_cast<size_t>(number) % capacity];
  }
  /// The oldest exchange that is remembered.
  int64_t first() const {
    return count > static_cast<int64_t>(capacity)
               ? count - static_cast<int64_t>(capacity)
               : 0;
  }

  Streams &streams;
  std::string next;
  std::array<Entry, capacity> entries;
  int64_t count = 0; ///< exchanges so far
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_FLIGHTLOG_H
