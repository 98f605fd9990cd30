// SPDX-License-Identifier: Apache-2.0
//
// What is remembered about collectives and messages: the bytes they move,
// counted as docs/program-manifest.md defines, and the last few of them.

#ifndef SHARDSMITH_RUNTIME_COLLECTIVE_H
#define SHARDSMITH_RUNTIME_COLLECTIVE_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shardsmith::runtime {

enum class CollectiveKind {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Permute,
  /// An all-to-all of the rows in use alone.
  AllToAllRows,
};
constexpr int collectiveKinds = 6;

std::string_view name(CollectiveKind kind);

/// Bytes that one rank sends, whatever the algorithm: `inBytes` is the size
/// of its input, `ranks` the size of the group. A permute counts as sent by
/// the ranks that send to another.
int64_t communicationBytes(CollectiveKind kind, int64_t inBytes, int ranks);

/// A message as one of its two ranks sees it.
enum class MessageKind { Send, Receive };

/// "send to rank 3", "receive from rank 0".
std::string describe(MessageKind kind, int peer);

struct TrafficCount {
  int64_t calls = 0;
  int64_t bytes = 0;
};

/// Counts of collectives per group and kind, and of what was sent in messages
/// per axis of the mesh.
class Traffic {
public:
  Traffic(int groups, size_t axes) : counts(groups), sends(axes + 1) {}

  void add(int group, CollectiveKind kind, int64_t bytes);
  /// A message along an axis; the number of axes stands for messages between
  /// ranks that differ on several.
  void addSend(size_t axis, int64_t bytes);
  const TrafficCount &of(int group, CollectiveKind kind) const;
  const TrafficCount &ofSends(size_t axis) const { return sends[axis]; }
  int64_t totalBytes() const { return total; }

  /// All calls and bytes in one order, which is that of every rank.
  std::vector<int64_t> numbers() const;
  /// The counts of another rank, of its `numbers`.
  Traffic ofNumbers(const std::vector<int64_t> &numbers) const;

private:
  /// Calls `visit` for every count, those of collectives first.
  template <typename Counts, typename Visit>
  static void visitCounts(Counts &traffic, Visit visit) {
    for (auto &kinds : traffic.counts)
      for (auto &count : kinds)
        visit(count);
    for (auto &count : traffic.sends)
      visit(count);
  }

  std::vector<std::array<TrafficCount, collectiveKinds>> counts;
  std::vector<TrafficCount> sends;
  int64_t total = 0;
};

/// The last collectives and messages of a rank, for the report of a failure.
class FlightRecorder {
public:
  using Kind = std::variant<CollectiveKind, MessageKind>;

  /// `with` is the group of a collective, the other rank of a message.
  void begin(Kind kind, int with, int64_t bytes, int64_t step);
  /// The last `entries` that have begun are done.
  void end(uint64_t entries = 1);
  /// One line per entry, oldest first.
  std::string describe() const;
  uint64_t count() const { return next; }

private:
  struct Entry {
    Kind kind;
    int with;
    int64_t bytes;
    int64_t step;
    bool done;
  };
  static constexpr uint64_t capacity = 8;
  std::array<Entry, capacity> entries;
  uint64_t next = 0; // sequence number of the next entry
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_COLLECTIVE_H
