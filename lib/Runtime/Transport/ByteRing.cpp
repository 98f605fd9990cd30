// SPDX-License-Identifier: Apache-2.0

#include "ByteRing.h"

#include <algorithm>

namespace shardsmith::runtime {
namespace {

/// Calls copy(offset in the ring, offset in the data, bytes) for the one or
/// two pieces of a ring that `bytes` bytes from `position` on lie in.
template <typename Copy>
void copyPieces(uint64_t position, int64_t bytes, int64_t capacity, Copy copy) {
  auto begin = static_cast<int64_t>(position % capacity);
  int64_t first = std::min(bytes, capacity - begin);
  copy(begin, int64_t(0), first);
  if (first < bytes)
    copy(int64_t(0), first, bytes - first);
}

ByteCount &advance(ByteCount &count, uint64_t position) {
  count.bytes.store(position);
  count.changes.fetch_add(1);
  return count;
}

} // namespace

int64_t RingWriter::movable() const {
  return capacity - static_cast<int64_t>(position - cell->taken.bytes.load());
}

int64_t RingWriter::put(const void *data, int64_t bytes,
                        const ThreadTeam &team) {
  bytes = std::min(bytes, movable());
  auto *from = static_cast<const uint8_t *>(data);
  copyPieces(position, bytes, capacity,
             [&](int64_t inRing, int64_t inData, int64_t length) {
               team.copy(ring + inRing, from + inData, length);
             });
  position += bytes;
  return bytes;
}

ByteCount &RingWriter::publish() { return advance(cell->written, position); }

int64_t RingReader::movable() const {
  return static_cast<int64_t>(cell->written.bytes.load() - position);
}

int64_t RingReader::take(void *data, int64_t bytes, const ThreadTeam &team) {
  bytes = std::min(bytes, movable());
  auto *to = static_cast<uint8_t *>(data);
  copyPieces(position, bytes, capacity,
             [&](int64_t inRing, int64_t inData, int64_t length) {
               team.copy(to + inData, ring + inRing, length);
             });
  position += bytes;
  return bytes;
}

ByteCount &RingReader::publish() { return advance(cell->taken, position); }

} // namespace shardsmith::runtime
