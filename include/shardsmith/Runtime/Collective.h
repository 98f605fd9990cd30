// SPDX-License-Identifier: Apache-2.0
//
// What is remembered about collectives: the bytes they move, counted as
// docs/program-manifest.md defines, and the last few of them.

#ifndef SHARDSMITH_RUNTIME_COLLECTIVE_H
#define SHARDSMITH_RUNTIME_COLLECTIVE_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardsmith::runtime {

enum class CollectiveKind {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Permute,
};
constexpr int collectiveKinds = 5;

std::string_view name(CollectiveKind kind);

/// Bytes that one rank sends, whatever the algorithm: `inBytes` is the size
/// of its input, `ranks` the size of the group. A permute counts as sent by
/// the ranks that send to another.
int64_t communicationBytes(CollectiveKind kind, int64_t inBytes, int ranks);

struct TrafficCount {
  int64_t calls = 0;
  int64_t bytes = 0;
};

/// Counts per group and kind.
class Traffic {
public:
  explicit Traffic(int groups) : counts(groups) {}

  void add(int group, CollectiveKind kind, int64_t bytes);
  const TrafficCount &of(int group, CollectiveKind kind) const;
  int64_t totalBytes() const { return total; }

private:
  std::vector<std::array<TrafficCount, collectiveKinds>> counts;
  int64_t total = 0;
};

/// The last collectives of a rank, for the report of a failure.
class FlightRecorder {
public:
  void begin(CollectiveKind kind, int group, int64_t bytes, int64_t step);
  void end();
  /// One line per collective, oldest first.
  std::string describe() const;
  uint64_t count() const { return next; }

private:
  struct Entry {
    CollectiveKind kind;
    int group;
    int64_t bytes;
    int64_t step;
    bool done;
  };
  static constexpr uint64_t capacity = 8;
  std::array<Entry, capacity> entries;
  uint64_t next = 0; // sequence number of the next collective
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_COLLECTIVE_H
