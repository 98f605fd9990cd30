// SPDX-License-Identifier: Apache-2.0
//
// Which work of other streams an action has to wait for.
//
// Actions are added in the order of the program. An action follows
//
//   whatever wrote memory that it reads or writes,
//   whatever read memory that it writes,
//
// and all of its own stream that was added before. Of what it follows in other
// streams it has to wait only for what does not follow from the rest: every
// wait that is returned is needed.

#ifndef SHARDSMITH_RUNTIME_DEVICE_DEPENDENCIES_H
#define SHARDSMITH_RUNTIME_DEVICE_DEPENDENCIES_H

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace shardsmith::runtime::device {

/// Bytes [begin, end) of a rank's memory.
struct Access {
  int64_t begin = 0, end = 0;
  bool isWrite = false;
};

class Dependencies {
public:
  explicit Dependencies(size_t streams) : clocks(streams, Clock(streams, -1)) {}

  /// Adds an action and returns the numbers of those that it has to wait for;
  /// actions are numbered from 0 in the order in which they are added.
  std::vector<size_t> add(size_t stream, std::span<const Access> accesses);
  /// Adds one that follows everything, and that everything after it follows.
  std::vector<size_t> addJoin(size_t stream);

private:
  /// By stream: the last action that is known to have ended; −1: none.
  using Clock = std::vector<int64_t>;
  struct Segment {
    int64_t end = 0;
    int64_t writer = -1;
    Clock readers; ///< since the last write; empty: none
  };

  void splitAt(int64_t position);
  void follow(Clock &needed, int64_t action) const;
  std::vector<size_t> append(size_t stream, const Clock &needed);

  struct Added {
    size_t stream;
    Clock ended; ///< what has ended when this one has
  };
  std::vector<Added> actions;
  int64_t lastJoin = -1;
  std::vector<Clock> clocks;           ///< of every stream's end
  std::map<int64_t, Segment> segments; ///< by their beginnings
};

} // namespace shardsmith::runtime::device

#endif // SHARDSMITH_RUNTIME_DEVICE_DEPENDENCIES_H
