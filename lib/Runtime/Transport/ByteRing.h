// SPDX-License-Identifier: Apache-2.0
//
// A stream of bytes from one process to another, through a ring in memory that
// both map. Each side is used by one thread; neither takes a lock.
//
//          taken            written
//            v                 v
//   . . . . [# # # # # # # # #] . . . .    # can be taken, . can be put
//
// Both counts only grow; a byte lies at its number modulo the capacity. What
// has been put becomes visible, and the room of what has been taken free, when
// it is published.

#ifndef SHARDSMITH_LIB_RUNTIME_TRANSPORT_BYTERING_H
#define SHARDSMITH_LIB_RUNTIME_TRANSPORT_BYTERING_H

#include "shardsmith/Runtime/ThreadTeam.h"

#include <atomic>
#include <cstdint>

namespace shardsmith::runtime {

/// A count of bytes that one process advances and others wait for.
struct alignas(64) ByteCount {
  std::atomic<uint64_t> bytes;
  std::atomic<uint32_t> changes; // grows with `bytes`; sleepers watch it
  std::atomic<uint32_t> sleepers;
};

/// What both sides of a ring share beside its bytes.
struct RingCell {
  ByteCount written; // advanced by the writer
  ByteCount taken;   // advanced by the reader
};

class RingWriter {
public:
  RingWriter(RingCell &cell, uint8_t *ring, int64_t capacity)
      : cell(&cell), ring(ring), capacity(capacity) {}

  /// The room that there is.
  int64_t movable() const;
  /// Copies as much as there is room for; returns how much that is.
  int64_t put(const void *data, int64_t bytes, const ThreadTeam &team);
  /// Returns the count that the other side may be waiting for.
  ByteCount &publish();
  /// The count to wait for where there is no room.
  ByteCount &other() const { return cell->taken; }

private:
  RingCell *cell;
  uint8_t *ring;
  int64_t capacity;
  uint64_t position = 0; // bytes put so far
};

class RingReader {
public:
  RingReader(RingCell &cell, const uint8_t *ring, int64_t capacity)
      : cell(&cell), ring(ring), capacity(capacity) {}

  /// The bytes that are there.
  int64_t movable() const;
  /// Copies as much as is there; returns how much that is.
  int64_t take(void *data, int64_t bytes, const ThreadTeam &team);
  ByteCount &publish();
  /// The count to wait for where there are no bytes.
  ByteCount &other() const { return cell->written; }

private:
  RingCell *cell;
  const uint8_t *ring;
  int64_t capacity;
  uint64_t position = 0; // bytes taken so far
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_TRANSPORT_BYTERING_H
