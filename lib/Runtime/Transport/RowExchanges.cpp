// SPDX-License-Identifier: Apache-2.0
//
// All-to-alls of the rows in use alone, by shared memory and by messages.

#include "MessageTransport.h"
#include "Offset.h"
#include "SharedMemoryTransport.h"

#include <cstring>
#include <numeric>

namespace shardsmith::runtime {
namespace {

/// The blocks between this rank and one member, in input or output.
class Part {
public:
  Part(const RowBlocks &blocks, const std::vector<int64_t> &used, int member)
      : blocks(blocks), used(used), first(member * blocks.blocks) {}

  int64_t offsetOf(int64_t block) const {
    return (first + block) * blocks.blockBytes;
  }
  int64_t bytesOf(int64_t block) const {
    return used[static_cast<size_t>(first + block)];
  }
  int64_t bytes() const {
    auto begin = used.begin() + first;
    return std::accumulate(begin, begin + blocks.blocks, int64_t(0));
  }
  void clearRest(void *out) const {
    for (int64_t block = 0; block < blocks.blocks; ++block)
      std::memset(at(out, offsetOf(block) + bytesOf(block)), 0,
                  static_cast<size_t>(blocks.blockBytes - bytesOf(block)));
  }

private:
  const RowBlocks &blocks;
  const std::vector<int64_t> &used;
  int64_t first;
};

} // namespace

void SharedMemoryTransport::exchangeRows(const Group &group, const void *in,
                                         void *out, const RowBlocks &blocks) {
  int parts = group.size();
  int64_t bytes = blocks.blocks * blocks.blockBytes * parts;
  Call call{Call::Kind::ExchangeRows, 0, in, bytes, out, bytes, false};
  Access access = lend(group, call);
  // Blocks that others cannot read where they lie are exchanged whole.
  if (access == Access::Bounce)
    allToAll(group, in, out, blocks.blocks * blocks.blockBytes);
  for (int turn = 0; turn < parts; ++turn) {
    int member = (group.position + turn) % parts;
    Part received(blocks, blocks.receives, member);
    Part sent(blocks, blocks.receives, group.position);
    for (int64_t block = 0; access != Access::Bounce && block < blocks.blocks;
         ++block)
      team.copy(at(out, received.offsetOf(block)),
                at(inputs[member], sent.offsetOf(block)),
                received.bytesOf(block));
    received.clearRest(out);
  }
  if (access == Access::Direct)
    barrier(group);
}

void MessageTransport::exchangeRows(const Group &group, const void *in,
                                    void *out, const RowBlocks &blocks) {
  int parts = group.size();
  std::vector<std::vector<uint8_t>> packed, received;
  std::vector<OutgoingMessage> outgoing;
  std::vector<IncomingMessage> incoming;
  for (int member = 0; member < parts; ++member) {
    Part part(blocks, blocks.sends, member);
    std::vector<uint8_t> &copy =
        packed.emplace_back(static_cast<size_t>(part.bytes()));
    int64_t begin = 0;
    for (int64_t block = 0; block < blocks.blocks; ++block) {
      std::memcpy(copy.data() + begin, at(in, part.offsetOf(block)),
                  static_cast<size_t>(part.bytesOf(block)));
      begin += part.bytesOf(block);
    }
    outgoing.push_back({0, copy.data(), part.bytes()});
    int64_t bytes = Part(blocks, blocks.receives, member).bytes();
    received.emplace_back(static_cast<size_t>(bytes));
    incoming.push_back({0, received.back().data(), bytes});
  }
  exchangeWithGroup(group, outgoing, incoming);
  for (int member = 0; member < parts; ++member) {
    Part part(blocks, blocks.receives, member);
    const uint8_t *from =
        (member == group.position ? packed : received)[size_t(member)].data();
    for (int64_t block = 0; block < blocks.blocks; ++block) {
      std::memcpy(at(out, part.offsetOf(block)), from,
                  static_cast<size_t>(part.bytesOf(block)));
      from += part.bytesOf(block);
    }
    part.clearRest(out);
  }
}

} // namespace shardsmith::runtime
