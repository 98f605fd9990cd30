// SPDX-License-Identifier: Apache-2.0

#include "MessageTransport.h"

#include "Offset.h"
#include "shardsmith/Runtime/Reduce.h"

#include <algorithm>
#include <cstring>

namespace shardsmith::runtime {
namespace {

/// Bound on the memory for parts in flight, per rank of the group.
constexpr int64_t tileBytes = 2 << 20;
void copyRows(void *to, int64_t toStride, const void *from, int64_t fromStride,
              int64_t rows, int64_t bytes) {
  for (int64_t row = 0; row < rows; ++row)
    std::memcpy(at(to, row * toStride), at(from, row * fromStride),
                static_cast<size_t>(bytes));
}

/// A part of [rows][bytes] that is small enough to be buffered.
struct Tile {
  int64_t row, rows;
  int64_t begin, bytes; // within a row
};

/// Cuts [rows][rowBytes] into tiles of at most `tileBytes`, whose rows are
/// whole if more than one; row parts are multiples of `unit`.
std::vector<Tile> cutIntoTiles(int64_t rows, int64_t rowBytes, int64_t unit) {
  std::vector<Tile> tiles;
  int64_t most = std::max(tileBytes / unit * unit, unit);
  if (rowBytes <= most) {
    int64_t together =
        std::max<int64_t>(tileBytes / std::max<int64_t>(rowBytes, 1), 1);
    for (int64_t row = 0; row < rows; row += together)
      tiles.push_back({row, std::min(together, rows - row), 0, rowBytes});
    return tiles;
  }
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t begin = 0; begin < rowBytes; begin += most)
      tiles.push_back({row, 1, begin, std::min(most, rowBytes - begin)});
  return tiles;
}

} // namespace

MessageTransport::MessageTransport(const GroupTable &groups,
                                   std::unique_ptr<Messenger> messenger,
                                   const ThreadTeam &team)
    : world(groups.world()), channels(groups.channels),
      messenger(std::move(messenger)), team(team) {}

uint8_t *MessageTransport::allocateArena(int64_t bytes) {
  arena = Mapping::anonymous(bytes);
  return arena.data();
}

int64_t MessageTransport::residentArenaBytes() const {
  return arena.residentBytes(arena.size());
}

void MessageTransport::exchangeWithGroup(
    const Group &group, const std::vector<OutgoingMessage> &outgoing,
    const std::vector<IncomingMessage> &incoming) {
  std::vector<OutgoingMessage> sends;
  std::vector<IncomingMessage> receives;
  // Everybody starts with the next position, so no rank is flooded.
  for (int turn = 1; turn < group.size(); ++turn) {
    int position = (group.position + turn) % group.size();
    sends.push_back(outgoing[position]);
    receives.push_back(incoming[position]);
    sends.back().rank = receives.back().rank = group.ranks[position];
  }
  messenger->exchange(sends, receives);
}

void MessageTransport::reduceParts(ElementType type, Reduction reduction,
                                   const std::vector<const void *> &parts,
                                   void *out, int64_t count) const {
  int64_t size = byteSize(type);
  team.parallelFor(count, ThreadTeam::leastBytes / size,
                   [&](int64_t begin, int64_t end) {
                     std::vector<const void *> sources;
                     for (const void *part : parts)
                       sources.push_back(at(part, begin * size));
                     reduceElements(type, reduction, sources,
                                    at(out, begin * size), end - begin);
                   });
}

void MessageTransport::allReduce(const Group &group, ElementType type,
                                 Reduction reduction, const void *in, void *out,
                                 int64_t count) {
  // As a reduce-scatter and an all-gather of blocks that the group divides;
  // the few elements left over go to everybody.
  int64_t size = byteSize(type);
  int64_t parts = group.size();
  int64_t share = count / parts;
  int64_t most = std::max<int64_t>(tileBytes / size, 1);
  for (int64_t begin = 0; begin < share; begin += most) {
    int64_t length = std::min(most, share - begin);
    int64_t offset = begin * parts * size;
    std::vector<uint8_t> reduced(static_cast<size_t>(length * size));
    reduceScatter(group, type, reduction, at(in, offset), reduced.data(), 1,
                  length);
    allGather(group, reduced.data(), at(out, offset), 1, length * size);
  }
  int64_t rest = count - share * parts;
  if (rest == 0)
    return;
  int64_t offset = share * parts * size;
  int64_t bytes = rest * size;
  std::vector<uint8_t> all(static_cast<size_t>(bytes * parts));
  allGather(group, at(in, offset), all.data(), 1, bytes);
  std::vector<const void *> sources;
  for (int64_t part = 0; part < parts; ++part)
    sources.push_back(all.data() + part * bytes);
  reduceParts(type, reduction, sources, at(out, offset), rest);
}

void MessageTransport::allGather(const Group &group, const void *in, void *out,
                                 int64_t outer, int64_t chunkBytes) {
  int parts = group.size();
  int64_t stride = parts * chunkBytes;
  for (const Tile &tile : cutIntoTiles(outer, chunkBytes, 1)) {
    int64_t bytes = tile.rows * tile.bytes;
    const uint8_t *own = at(in, tile.row * chunkBytes + tile.begin);
    auto place = [&](int position) {
      return at(out, tile.row * stride + position * chunkBytes + tile.begin);
    };
    // A tile of one row is received in place.
    bool isDirect = tile.rows == 1;
    std::vector<uint8_t> received(
        isDirect ? 0 : static_cast<size_t>(bytes * parts));
    std::vector<OutgoingMessage> outgoing(parts, {0, own, bytes});
    std::vector<IncomingMessage> incoming;
    for (int part = 0; part < parts; ++part)
      incoming.push_back(
          {0, isDirect ? place(part) : received.data() + part * bytes, bytes});
    exchangeWithGroup(group, outgoing, incoming);
    for (int part = 0; part < parts; ++part) {
      bool isOwn = part == group.position;
      if (isOwn || !isDirect)
        copyRows(place(part), stride, isOwn ? own : incoming[part].data,
                 tile.bytes, tile.rows, tile.bytes);
    }
  }
}

void MessageTransport::reduceScatter(const Group &group, ElementType type,
                                     Reduction reduction, const void *in,
                                     void *out, int64_t outer, int64_t chunk) {
  int parts = group.size();
  int64_t size = byteSize(type);
  int64_t chunkBytes = chunk * size;
  int64_t stride = parts * chunkBytes;
  for (const Tile &tile : cutIntoTiles(outer, chunkBytes, size)) {
    int64_t bytes = tile.rows * tile.bytes;
    std::vector<uint8_t> packed(static_cast<size_t>(bytes * parts));
    std::vector<uint8_t> received(static_cast<size_t>(bytes * parts));
    std::vector<OutgoingMessage> outgoing;
    std::vector<IncomingMessage> incoming;
    std::vector<const void *> sources;
    for (int part = 0; part < parts; ++part) {
      uint8_t *copy = packed.data() + part * bytes;
      copyRows(copy, tile.bytes,
               at(in, tile.row * stride + part * chunkBytes + tile.begin),
               stride, tile.rows, tile.bytes);
      outgoing.push_back({0, copy, bytes});
      incoming.push_back({0, received.data() + part * bytes, bytes});
      sources.push_back(part == group.position ? copy : incoming.back().data);
    }
    exchangeWithGroup(group, outgoing, incoming);
    reduceParts(type, reduction, sources,
                at(out, tile.row * chunkBytes + tile.begin), bytes / size);
  }
}

void MessageTransport::allToAll(const Group &group, const void *in, void *out,
                                int64_t blockBytes) {
  int parts = group.size();
  std::vector<uint8_t> copy;
  if (in == out) {
    copy.assign(at(in, 0), at(in, parts * blockBytes));
    in = copy.data();
  }
  std::vector<OutgoingMessage> outgoing;
  std::vector<IncomingMessage> incoming;
  for (int part = 0; part < parts; ++part) {
    outgoing.push_back({0, at(in, part * blockBytes), blockBytes});
    incoming.push_back({0, at(out, part * blockBytes), blockBytes});
  }
  exchangeWithGroup(group, outgoing, incoming);
  team.copy(incoming[group.position].data, outgoing[group.position].data,
            blockBytes);
}

void MessageTransport::permute(const Group &, const int32_t *sources,
                               const void *in, void *out, int64_t bytes) {
  std::vector<uint8_t> copy;
  if (in == out) {
    copy.assign(at(in, 0), at(in, bytes));
    in = copy.data();
  }
  int self = world.position;
  std::vector<OutgoingMessage> outgoing;
  std::vector<IncomingMessage> incoming;
  for (int rank = 0; rank < world.size(); ++rank)
    if (rank != self && sources[rank] == self)
      outgoing.push_back({rank, in, bytes});
  if (sources[self] >= 0 && sources[self] != self)
    incoming.push_back({sources[self], out, bytes});
  messenger->exchange(outgoing, incoming);
  if (sources[self] == self)
    team.copy(out, in, bytes);
  else if (sources[self] < 0)
    std::memset(out, 0, static_cast<size_t>(bytes));
}

/// Dissemination: after the round of distance d, a rank has heard, directly
/// or not, from the 2d − 1 positions before it.
void MessageTransport::barrier(const Group &group) {
  int parts = group.size();
  for (int distance = 1; distance < parts; distance *= 2) {
    int next = (group.position + distance) % parts;
    int previous = (group.position - distance + parts) % parts;
    OutgoingMessage outgoing{group.ranks[next], nullptr, 0};
    IncomingMessage incoming{group.ranks[previous], nullptr, 0};
    messenger->exchange({&outgoing, 1}, {&incoming, 1});
  }
}

void MessageTransport::send(size_t channel, const void *data, int64_t bytes) {
  messenger->send({channels[channel].to, data, bytes}, channels[channel].bytes);
}

int64_t MessageTransport::receive(size_t channel, void *data, int64_t bytes) {
  return messenger->receive({channels[channel].from, data, bytes});
}

/// Most messages move only while their sender calls MPI. Progress may be noted
/// by other threads, which must not.
void MessageTransport::noteProgress() {
  if (std::this_thread::get_id() == owner)
    messenger->progress();
}

void MessageTransport::finish() {
  barrier(world);
  messenger->finish();
}

} // namespace shardsmith::runtime
