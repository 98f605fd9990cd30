// SPDX-License-Identifier: Apache-2.0
//
// How ranks exchange data. Collectives and messages are numbered and counted by
// the layer above (Context.h); a transport moves bytes and notices when a rank
// is gone.
//
// What every transport promises:
//  * Reductions combine ranks in the order of the group, so their results are
//    the same on all ranks, in all runs and over all transports, bit by bit.
//  * No wait lasts longer than the deadline without progress of the rank that
//    is waited for; a rank that is gone ends the wait at once. Both throw a
//    Failure that names the rank.

#ifndef SHARDSMITH_RUNTIME_TRANSPORT_TRANSPORT_H
#define SHARDSMITH_RUNTIME_TRANSPORT_TRANSPORT_H

#include "shardsmith/Runtime/Arena.h"
#include "shardsmith/Runtime/ElementType.h"
#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Runtime/Manifest.h"

#include <chrono>
#include <string>
#include <vector>

namespace shardsmith::runtime {

/// The ranks that take part in a collective, as one of them sees it.
struct Group {
  int index = 0;          // of the manifest's groups; the last one is all ranks
  int cell = 0;           // number of this list among all lists of all groups
  std::vector<int> ranks; // in the order of the group
  int position = 0;       // of this rank in `ranks`

  int size() const { return static_cast<int>(ranks.size()); }
};

/// The channels of all ranks, in the order of their senders, then of their
/// receivers; a channel is named by its place among them.
class ChannelTable {
public:
  ChannelTable() = default;
  explicit ChannelTable(std::vector<Channel> channels);

  std::optional<size_t> find(int from, int to) const;
  const Channel &operator[](size_t index) const { return channels[index]; }
  size_t size() const { return channels.size(); }

private:
  std::vector<Channel> channels;
};

/// With whom one rank exchanges data: its groups, which are those of the
/// manifest and then the world, and the channels.
struct GroupTable {
  std::vector<Group> groups;
  int cells = 0; // lists of all groups together
  ChannelTable channels;

  GroupTable() = default;
  GroupTable(const Manifest &manifest, int rank);
  const Group &world() const { return groups.back(); }
};

struct TransportOptions {
  std::chrono::milliseconds deadline = std::chrono::seconds(30);
};

/// Blocks of rows that ranks exchange: [members][blocks][block bytes] on every
/// rank, of which a block's first bytes are in use.
struct RowBlocks {
  /// Blocks from one member to another.
  int64_t blocks;
  int64_t blockBytes;
  /// Bytes in use of each block of the input and of the output.
  std::vector<int64_t> sends, receives;
};

class Transport {
public:
  virtual ~Transport() = default;

  /// "shared memory" or "MPI".
  virtual std::string name() const = 0;

  /// Zero-filled memory for all tensors, at least 64-byte aligned and alive
  /// as long as the transport. Called once, by all ranks.
  virtual uint8_t *allocateArena(int64_t bytes) = 0;
  /// How much of the arena has ever been touched, in whole pages.
  virtual int64_t residentArenaBytes() const = 0;
  /// Memory of this rank, 64-byte aligned, that others read where it lies, for
  /// what one collective reads and writes; null if there is none of the size.
  virtual uint8_t *staging(int64_t bytes) { return nullptr; }
  /// Whether collectives may run on a thread of their own while kernels note
  /// progress on others.
  virtual bool runsBesideKernels() const { return false; }

  // The collectives of ABI.h. Groups have at least two ranks.
  virtual void allReduce(const Group &group, ElementType type,
                         Reduction reduction, const void *in, void *out,
                         int64_t count) = 0;
  virtual void allGather(const Group &group, const void *in, void *out,
                         int64_t outer, int64_t chunkBytes) = 0;
  virtual void reduceScatter(const Group &group, ElementType type,
                             Reduction reduction, const void *in, void *out,
                             int64_t outer, int64_t chunk) = 0;
  virtual void allToAll(const Group &group, const void *in, void *out,
                        int64_t blockBytes) = 0;
  /// Sends what is in use, and clears the rest of the output. What one member
  /// sends to another is what the other receives.
  virtual void exchangeRows(const Group &group, const void *in, void *out,
                            const RowBlocks &blocks) = 0;
  virtual void permute(const Group &group, const int32_t *sources,
                       const void *in, void *out, int64_t bytes) = 0;
  virtual void barrier(const Group &group) = 0;

  /// The messages of ABI.h, over a channel from or to this rank. A receiver
  /// gets the size of the message, and its data only if it is `bytes` long.
  virtual void send(size_t channel, const void *data, int64_t bytes) = 0;
  virtual int64_t receive(size_t channel, void *data, int64_t bytes) = 0;

  /// Throws a Failure if another rank has failed or is gone, as far as this is
  /// known without waiting.
  virtual void checkPeers() const {}
  /// Tells waiting ranks that this one is alive and working.
  virtual void noteProgress() {}
  /// For the messages of other ranks.
  virtual void noteStep(int64_t step) {}
  /// Makes all ranks stop with `code`; safe in a signal handler.
  virtual void announceFailure(ExitCode code) noexcept {}
  /// Called when the rank is done; it may then leave without being missed.
  virtual void finish() = 0;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_TRANSPORT_TRANSPORT_H
