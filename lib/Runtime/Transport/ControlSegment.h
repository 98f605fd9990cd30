// SPDX-License-Identifier: Apache-2.0
//
// The small piece of shared memory through which the ranks of one machine
// find and synchronise with each other. Tensors are not in it: every rank's
// arena is memory of its own that the others map (SharedMemoryTransport).
//
//   +--------+----------+-----------+-------------+------------------------+
//   | Header | RankCell | GroupCell | RingCell    | Post + payload, per    |
//   |        | per rank | per list  | per channel | rank, group and parity |
//   |        |          |           |             | of its sequence        |
//   +--------+----------+-----------+-------------+------------------------+
//
// Rank 0 creates it under a name made from the job's identity and removes the
// name as soon as all ranks have attached: a crash later leaves nothing
// behind, and what a crash before that leaves is recognised as stale.

#ifndef SHARDSMITH_LIB_RUNTIME_TRANSPORT_CONTROLSEGMENT_H
#define SHARDSMITH_LIB_RUNTIME_TRANSPORT_CONTROLSEGMENT_H

#include "../FileDescriptor.h"
#include "ByteRing.h"
#include "shardsmith/Runtime/Arena.h"
#include "shardsmith/Runtime/LaunchEnvironment.h"
#include "shardsmith/Support/TemporaryPath.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace shardsmith::runtime {

/// State that a rank shows the others. Only its owner writes it.
struct alignas(64) RankCell {
  std::atomic<int32_t> process;     // id, 0 until attached
  std::atomic<int32_t> arenaFile;   // descriptor number in that process
  std::atomic<int32_t> waitingFor;  // GroupCell at which it waits, or number
                                    // of them + that of a RingCell; −1: none
  std::atomic<int32_t> leaves;      // 1: is done, or has said why it is not
  std::atomic<int64_t> arenaBytes;  // ranks may have arenas of unequal sizes
  std::atomic<int64_t> memoryBytes; // arena and what lies behind it
  std::atomic<int64_t> step;
  std::atomic<uint64_t> progress; // grows while the rank works
};

/// A barrier of the ranks in one list of a group.
struct alignas(64) GroupCell {
  std::atomic<uint32_t> arrived;
  std::atomic<uint32_t> generation; // grows when all have arrived
  std::atomic<uint32_t> sleepers;
};

/// What a rank lays out for one collective.
struct alignas(64) Post {
  uint64_t signature; // of the call: must be the same on all ranks
  int64_t in;         // offset in the rank's memory, −1: not there
  int64_t out;
};

struct ControlLayout {
  int ranks = 1;
  int groups = 1; // per rank, the world included
  int cells = 1;
  size_t channels = 0;
  uint64_t programHash = 0;
};

class ControlSegment {
public:
  /// Small inputs travel through the segment itself.
  static constexpr int64_t payloadBytes = 4096;

  /// Creates or attaches, and returns when all ranks have attached. Throws a
  /// Failure after `deadline`, and when the ranks run different programs.
  ControlSegment(const ControlLayout &layout,
                 const LaunchEnvironment &environment,
                 std::chrono::milliseconds deadline);
  ControlSegment(const ControlSegment &) = delete;
  ControlSegment &operator=(const ControlSegment &) = delete;

  RankCell &rank(int rank) const;
  GroupCell &group(int cell) const;
  RingCell &ring(size_t channel) const;
  Post &post(int rank, int group, int parity) const;
  uint8_t *payload(int rank, int group, int parity) const;

  /// Zero, or the first failure announced: see packFailure.
  std::atomic<uint64_t> &failure() const;

private:
  struct Header;
  Header &header() const;
  int64_t totalBytes() const;
  void create();
  bool tryAttach();
  void claimCell();
  bool isCurrent(int file) const;
  void waitForAll(std::chrono::steady_clock::time_point end);
  [[noreturn]] void refuseMissingRanks() const;

  ControlLayout layout;
  LaunchEnvironment environment;
  std::string name;
  /// The name, until all ranks have attached; and the lock by which others
  /// know that its creator lives.
  std::optional<TemporaryPath> published;
  FileDescriptor lock;
  Mapping memory;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_TRANSPORT_CONTROLSEGMENT_H
