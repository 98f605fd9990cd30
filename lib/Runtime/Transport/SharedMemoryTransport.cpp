// SPDX-License-Identifier: Apache-2.0
//
// Start-up, failure and collectives; SharedMemoryWait.cpp has the waiting,
// SharedMemoryMessages.cpp the messages.

#include "SharedMemoryTransport.h"

#include "../FileDescriptor.h"
#include "Offset.h"
#include "shardsmith/Runtime/Reduce.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>

namespace shardsmith::runtime {
namespace {

/// A large all-reduce goes block by block: what is reduced is gathered while
/// it is still in the cache. This much of all ranks' buffers together.
constexpr int64_t pipelineBytes = 8 << 20;
int64_t roundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

bool overlap(const void *a, int64_t aBytes, const void *b, int64_t bBytes) {
  return at(a, 0) < at(b, bBytes) && at(b, 0) < at(a, aBytes);
}

/// Copies `rows` rows of `bytes` bytes between buffers with row strides.
void copyRows(const ThreadTeam &team, void *to, int64_t toStride,
              const void *from, int64_t fromStride, int64_t rows,
              int64_t bytes) {
  if (rows == 1)
    return team.copy(to, from, bytes);
  int64_t grain = std::max<int64_t>(
      ThreadTeam::leastBytes / std::max<int64_t>(bytes, 1), 1);
  team.parallelFor(rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      std::memcpy(at(to, row * toStride), at(from, row * fromStride),
                  static_cast<size_t>(bytes));
  });
}

/// Begin of the share of `part` among `parts` in [0, count), in multiples of
/// a cache line where possible.
int64_t shareBegin(int64_t count, int part, int parts, int64_t elementBytes) {
  int64_t line = std::max<int64_t>(64 / elementBytes, 1);
  int64_t length = roundUp((count + parts - 1) / parts, line);
  return std::min(count, part * length);
}

} // namespace

SharedMemoryTransport::SharedMemoryTransport(
    const GroupTable &groups, uint64_t programHash,
    const LaunchEnvironment &environment, const ThreadTeam &team,
    const TransportOptions &options)
    : self(environment.rank), ranks(environment.ranks), team(team),
      world(groups.world()), cells(groups.cells), channels(groups.channels),
      deadline(options.deadline), spins(ranks <= availableCores() ? 300 : 0),
      control({ranks, static_cast<int>(groups.groups.size()), groups.cells,
               groups.channels.size(), programHash},
              environment, options.deadline),
      sequences(groups.groups.size(), 0) {
  std::vector<int32_t> processes;
  for (int r = 0; r < ranks; ++r)
    processes.push_back(control.rank(r).process);
  watch = PeerWatch(processes);
}

uint8_t *SharedMemoryTransport::allocateArena(int64_t bytes) {
  constexpr int64_t page = 4096;
  arenaBytes = roundUp(bytes, page);
  int64_t total = arenaBytes + bounceBytes + ownRingBytes();
  FileDescriptor file(memfd_create("shardsmith-arena", MFD_CLOEXEC));
  if (!file.isOpen() || ftruncate(file.get(), total) != 0)
    fail(ExitCode::Environment, "cannot get {} bytes of shared memory: {}",
         total, describeError(errno));
  memory = Mapping::ofFile(file.get(), total, /*writable=*/true);
  RankCell &cell = control.rank(self);
  cell.arenaFile = file.get();
  cell.arenaBytes = arenaBytes;
  cell.memoryBytes = total;

  barrier(world);
  peers.resize(ranks);
  for (int r = 0; r < ranks; ++r) {
    if (r == self) {
      bases.push_back(memory.data());
      continue;
    }
    // The other process's descriptor, through /proc: needs no rights beyond
    // being the same user.
    std::string path =
        fmt::format("/proc/{}/fd/{}", control.rank(r).process.load(),
                    control.rank(r).arenaFile.load());
    FileDescriptor theirs(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!theirs.isOpen())
      fail(ExitCode::Environment,
           "cannot open the memory of rank {} as {}: "
           "{}; all ranks must run as one user in one "
           "process namespace",
           r, path, describeError(errno));
    peers[r] = Mapping::ofFile(theirs.get(), control.rank(r).memoryBytes,
                               /*writable=*/false);
    bases.push_back(peers[r].data());
  }
  openChannels();
  barrier(world); // descriptors may be closed now
  return memory.data();
}

int64_t SharedMemoryTransport::residentArenaBytes() const {
  return memory.residentBytes(arenaBytes);
}

/// A collective whose buffers can be read where they lie bounces nothing.
uint8_t *SharedMemoryTransport::staging(int64_t bytes) {
  return bytes <= bounceBytes ? bounce(self) : nullptr;
}

uint8_t *SharedMemoryTransport::bounce(int rank) const {
  return bases[rank] + control.rank(rank).arenaBytes;
}

int64_t SharedMemoryTransport::offsetInArena(const void *pointer,
                                             int64_t bytes) const {
  if (!memory.contains(pointer, bytes))
    return -1;
  return static_cast<const uint8_t *>(pointer) - memory.data();
}

/// Lays out this rank's input, waits for the others', and sets `inputs` and,
/// for direct access, `outputs`. All ranks get the same answer.
SharedMemoryTransport::Access SharedMemoryTransport::lend(const Group &group,
                                                          const Call &call) {
  int parity = sequences[group.index]++ & 1;
  Post &post = control.post(self, group.index, parity);
  post.signature = static_cast<uint64_t>(call.inBytes) << 16 |
                   static_cast<uint64_t>(call.detail) << 8 |
                   (static_cast<uint64_t>(call.kind) + 1);
  bool isSmall = call.inBytes <= ControlSegment::payloadBytes;
  if (isSmall) {
    std::memcpy(control.payload(self, group.index, parity), call.in,
                static_cast<size_t>(call.inBytes));
  } else {
    bool clash = !call.mayOverlap &&
                 overlap(call.in, call.inBytes, call.out, call.outBytes);
    post.in = clash ? -1 : offsetInArena(call.in, call.inBytes);
    post.out = offsetInArena(call.out, call.outBytes);
  }
  barrier(group);
  checkAgreement(group, parity);

  inputs.clear();
  outputs.clear();
  for (int rank : group.ranks) {
    if (isSmall) {
      inputs.push_back(control.payload(rank, group.index, parity));
      continue;
    }
    const Post &theirs = control.post(rank, group.index, parity);
    if (theirs.in < 0 || theirs.out < 0)
      return Access::Bounce;
    inputs.push_back(bases[rank] + theirs.in);
    outputs.push_back(bases[rank] + theirs.out);
  }
  return isSmall ? Access::Payload : Access::Direct;
}

void SharedMemoryTransport::checkAgreement(const Group &group,
                                           int parity) const {
  uint64_t ours = control.post(self, group.index, parity).signature;
  for (int rank : group.ranks)
    if (control.post(rank, group.index, parity).signature != ours)
      fail(ExitCode::Internal, "ranks {} and {} call different collectives",
           self, rank);
}

/// After the bounce buffers have been filled: makes them the inputs.
void SharedMemoryTransport::lendBounce(const Group &group) {
  barrier(group);
  inputs.clear();
  for (int rank : group.ranks)
    inputs.push_back(bounce(rank));
}

/// out[row][0, count) = reduction of all inputs from byte
/// `offset + row * stride` on.
void SharedMemoryTransport::reduceRows(ElementType type, Reduction reduction,
                                       int64_t offset, int64_t stride,
                                       void *out, int64_t rows,
                                       int64_t count) const {
  int64_t size = byteSize(type);
  // Threads split the elements of all rows; a share may begin and end within
  // a row.
  team.parallelFor(rows * count, ThreadTeam::leastBytes / size,
                   [&](int64_t begin, int64_t end) {
                     std::vector<const void *> sources(inputs.size());
                     while (begin < end) {
                       int64_t row = begin / count, column = begin % count;
                       int64_t length = std::min(end - begin, count - column);
                       for (size_t i = 0; i < sources.size(); ++i)
                         sources[i] = at(inputs[i],
                                         offset + row * stride + column * size);
                       reduceElements(type, reduction, sources,
                                      at(out, begin * size), length);
                       begin += length;
                     }
                   });
}

void SharedMemoryTransport::reducePiece(ElementType type, Reduction reduction,
                                        int64_t offset, void *out,
                                        int64_t count) const {
  reduceRows(type, reduction, offset, 0, out, 1, count);
}

void SharedMemoryTransport::allReduce(const Group &group, ElementType type,
                                      Reduction reduction, const void *in,
                                      void *out, int64_t count) {
  int64_t size = byteSize(type);
  Call call{Call::Kind::AllReduce,
            type << 4 | reduction,
            in,
            count * size,
            out,
            count * size,
            true};
  switch (lend(group, call)) {
  case Access::Payload:
    return reducePiece(type, reduction, 0, out, count);
  case Access::Direct:
    return allReduceDirect(group, type, reduction, count);
  case Access::Bounce:
    break;
  }
  int64_t most = bounceBytes / size;
  for (int64_t begin = 0; begin < count; begin += most) {
    int64_t length = std::min(most, count - begin);
    team.copy(bounce(self), at(in, begin * size), length * size);
    lendBounce(group);
    reducePiece(type, reduction, 0, at(out, begin * size), length);
    barrier(group);
  }
}

/// Every rank reduces its share of a block into its own output and then
/// copies the other shares from the other outputs. Reducing block b + 1 and
/// gathering block b happen between the same two barriers.
void SharedMemoryTransport::allReduceDirect(const Group &group,
                                            ElementType type,
                                            Reduction reduction,
                                            int64_t count) {
  int64_t size = byteSize(type);
  int parts = group.size();
  int64_t block = std::max<int64_t>(pipelineBytes / parts / size, 1);
  auto reduceShare = [&](int64_t begin) {
    int64_t length = std::min(block, count - begin);
    int64_t first = shareBegin(length, group.position, parts, size);
    int64_t last = shareBegin(length, group.position + 1, parts, size);
    int64_t offset = (begin + first) * size;
    reducePiece(type, reduction, offset, outputs[group.position] + offset,
                last - first);
  };
  auto gatherShares = [&](int64_t begin) {
    int64_t length = std::min(block, count - begin);
    for (int turn = 1; turn < parts; ++turn) {
      int part = (group.position + turn) % parts;
      int64_t first = shareBegin(length, part, parts, size);
      int64_t last = shareBegin(length, part + 1, parts, size);
      int64_t offset = (begin + first) * size;
      team.copy(outputs[group.position] + offset, outputs[part] + offset,
                (last - first) * size);
    }
  };

  reduceShare(0);
  barrier(group);
  for (int64_t begin = 0; begin < count; begin += block) {
    if (begin + block < count)
      reduceShare(begin + block);
    gatherShares(begin);
    barrier(group);
  }
}

void SharedMemoryTransport::allGather(const Group &group, const void *in,
                                      void *out, int64_t outer,
                                      int64_t chunkBytes) {
  int parts = group.size();
  int64_t inBytes = outer * chunkBytes;
  Call call{Call::Kind::AllGather, 0, in, inBytes, out, inBytes * parts, false};
  Access access = lend(group, call);
  if (access != Access::Bounce) {
    for (int turn = 0; turn < parts; ++turn) {
      int part = (group.position + turn) % parts;
      copyRows(team, at(out, part * chunkBytes), parts * chunkBytes,
               inputs[part], chunkBytes, outer, chunkBytes);
    }
    if (access == Access::Direct)
      barrier(group);
    return;
  }
  for (int64_t row = 0; row < outer; ++row) {
    for (int64_t begin = 0; begin < chunkBytes; begin += bounceBytes) {
      int64_t length = std::min(bounceBytes, chunkBytes - begin);
      team.copy(bounce(self), at(in, row * chunkBytes + begin), length);
      lendBounce(group);
      for (int part = 0; part < parts; ++part)
        team.copy(at(out, (row * parts + part) * chunkBytes + begin),
                  inputs[part], length);
      barrier(group);
    }
  }
}

void SharedMemoryTransport::reduceScatter(const Group &group, ElementType type,
                                          Reduction reduction, const void *in,
                                          void *out, int64_t outer,
                                          int64_t chunk) {
  int parts = group.size();
  int64_t size = byteSize(type);
  int64_t outBytes = outer * chunk * size;
  Call call{Call::Kind::ReduceScatter,
            type << 4 | reduction,
            in,
            outBytes * parts,
            out,
            outBytes,
            false};
  Access access = lend(group, call);
  if (access != Access::Bounce) {
    reduceRows(type, reduction, group.position * chunk * size,
               parts * chunk * size, out, outer, chunk);
    if (access == Access::Direct)
      barrier(group);
    return;
  }
  int64_t most = std::max<int64_t>(bounceBytes / parts / size, 1);
  for (int64_t row = 0; row < outer; ++row) {
    for (int64_t begin = 0; begin < chunk; begin += most) {
      int64_t length = std::min(most, chunk - begin);
      for (int part = 0; part < parts; ++part)
        team.copy(bounce(self) + part * length * size,
                  at(in, ((row * parts + part) * chunk + begin) * size),
                  length * size);
      lendBounce(group);
      reducePiece(type, reduction, group.position * length * size,
                  at(out, (row * chunk + begin) * size), length);
      barrier(group);
    }
  }
}

void SharedMemoryTransport::allToAll(const Group &group, const void *in,
                                     void *out, int64_t blockBytes) {
  int parts = group.size();
  int64_t bytes = blockBytes * parts;
  Call call{Call::Kind::AllToAll, 0, in, bytes, out, bytes, false};
  Access access = lend(group, call);
  if (access != Access::Bounce) {
    for (int turn = 0; turn < parts; ++turn) {
      int part = (group.position + turn) % parts;
      team.copy(at(out, part * blockBytes),
                at(inputs[part], group.position * blockBytes), blockBytes);
    }
    if (access == Access::Direct)
      barrier(group);
    return;
  }
  int64_t most = std::max<int64_t>(bounceBytes / parts, 1);
  for (int64_t begin = 0; begin < blockBytes; begin += most) {
    int64_t length = std::min(most, blockBytes - begin);
    for (int part = 0; part < parts; ++part)
      team.copy(bounce(self) + part * length, at(in, part * blockBytes + begin),
                length);
    lendBounce(group);
    for (int part = 0; part < parts; ++part)
      team.copy(at(out, part * blockBytes + begin),
                at(inputs[part], group.position * length), length);
    barrier(group);
  }
}

void SharedMemoryTransport::permute(const Group &group, const int32_t *sources,
                                    const void *in, void *out, int64_t bytes) {
  int32_t source = sources[self];
  // Inputs are by position in the group.
  auto position = static_cast<size_t>(std::ranges::find(group.ranks, source) -
                                      group.ranks.begin());
  if (source >= 0 && position == group.ranks.size())
    fail(
        ExitCode::Internal,
        "a permute among {} ranks takes from rank {}, which is not one of them",
        group.size(), source);
  auto receive = [&](int64_t begin, int64_t from, int64_t length) {
    if (source < 0)
      std::memset(at(out, begin), 0, static_cast<size_t>(length));
    else
      team.copy(at(out, begin), at(inputs[position], from), length);
  };
  Call call{Call::Kind::Permute, 0, in, bytes, out, bytes, false};
  Access access = lend(group, call);
  if (access != Access::Bounce) {
    receive(0, 0, bytes);
    if (access == Access::Direct)
      barrier(group);
    return;
  }
  for (int64_t begin = 0; begin < bytes; begin += bounceBytes) {
    int64_t length = std::min(bounceBytes, bytes - begin);
    team.copy(bounce(self), at(in, begin), length);
    lendBounce(group);
    receive(begin, 0, length);
    barrier(group);
  }
}

void SharedMemoryTransport::noteProgress() {
  control.rank(self).progress.fetch_add(1, std::memory_order_relaxed);
}

void SharedMemoryTransport::noteStep(int64_t step) {
  control.rank(self).step.store(step, std::memory_order_relaxed);
}

void SharedMemoryTransport::announceFailure(ExitCode code) noexcept {
  control.rank(self).leaves = 1;
  uint64_t none = 0;
  control.failure().compare_exchange_strong(
      none, static_cast<uint64_t>(self) << 8 | static_cast<uint64_t>(code));
}

void SharedMemoryTransport::finish() {
  barrier(world);
  control.rank(self).leaves = 1;
}

} // namespace shardsmith::runtime
