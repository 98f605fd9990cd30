// SPDX-License-Identifier: Apache-2.0
//
// Messages of the shared-memory transport. Every channel is a ring of bytes in
// its sender's memory, behind the bounce buffer:
//
//   arena | bounce buffer | ring of channel 0 -> 1 | ring of channel 0 -> 3 | …
//
// A message in the ring is its size and its data. It goes piece by piece, so
// it may be larger than the ring, and a large one is received while it is
// still being sent.

#include "SharedMemoryTransport.h"

#include <algorithm>

namespace shardsmith::runtime {
namespace {

using MessageSize = int64_t;

/// What is copied before the other side learns of it.
constexpr int64_t pieceBytes = 1 << 20;

/// A ring has room for the sizes of this many messages, and for those of all
/// messages that are at least this long on average.
constexpr int64_t manyMessages = 8192;
constexpr int64_t usualBytes = 128;

int64_t ringBytes(const Channel &channel) {
  int64_t messages = std::max(manyMessages, channel.bytes / usualBytes);
  int64_t bytes = channel.bytes + messages * int64_t(sizeof(MessageSize));
  return (bytes + 63) / 64 * 64;
}

} // namespace

int64_t SharedMemoryTransport::ownRingBytes() const {
  int64_t bytes = 0;
  for (size_t i = 0; i < channels.size(); ++i)
    if (channels[i].from == self)
      bytes += ringBytes(channels[i]);
  return bytes;
}

/// Finds the rings of all channels from and to this rank.
void SharedMemoryTransport::openChannels() {
  int64_t offset = 0; // behind the bounce buffer of the sender
  for (size_t i = 0; i < channels.size(); ++i) {
    const Channel &channel = channels[i];
    if (i > 0 && channels[i - 1].from != channel.from)
      offset = 0;
    uint8_t *ring = bounce(channel.from) + bounceBytes + offset;
    int64_t capacity = ringBytes(channel);
    offset += capacity;
    if (channel.from == self)
      writers.try_emplace(i, control.ring(i), ring, capacity);
    if (channel.to == self)
      readers.try_emplace(i, control.ring(i), ring, capacity);
  }
}

/// Moves `bytes` bytes through one side of a ring: move(offset, length) puts
/// or takes as much of a piece as it can. The last piece is left unpublished.
template <typename Side, typename Move>
void SharedMemoryTransport::stream(size_t channel, Side &side, int64_t bytes,
                                   Move move) {
  const Channel &ends = channels[channel];
  int peer = ends.from == self ? ends.to : ends.from;
  int64_t unpublished = 0;
  for (int64_t done = 0; done < bytes;) {
    int64_t moved = move(done, std::min(bytes - done, pieceBytes));
    done += moved;
    unpublished += moved;
    if (moved > 0 && unpublished < pieceBytes)
      continue;
    // The other side may need what there is, a size before this call included,
    // to go on.
    wakeSleepers(side.publish());
    noteProgress();
    unpublished = 0;
    if (moved == 0)
      waitForPeer(channel, peer, side.other(),
                  [&] { return side.movable() > 0; });
  }
}

void SharedMemoryTransport::send(size_t channel, const void *data,
                                 int64_t bytes) {
  RingWriter &ring = writers.at(channel);
  auto write = [&](const void *from, int64_t length) {
    stream(channel, ring, length, [&](int64_t offset, int64_t piece) {
      return ring.put(static_cast<const uint8_t *>(from) + offset, piece, team);
    });
  };
  MessageSize size = bytes;
  write(&size, sizeof size);
  write(data, bytes);
  wakeSleepers(ring.publish());
}

int64_t SharedMemoryTransport::receive(size_t channel, void *data,
                                       int64_t bytes) {
  RingReader &ring = readers.at(channel);
  auto read = [&](void *to, int64_t length) {
    stream(channel, ring, length, [&](int64_t offset, int64_t piece) {
      return ring.take(static_cast<uint8_t *>(to) + offset, piece, team);
    });
  };
  MessageSize size = 0;
  read(&size, sizeof size);
  if (size != bytes)
    return size;
  read(data, bytes);
  wakeSleepers(ring.publish());
  return size;
}

} // namespace shardsmith::runtime
