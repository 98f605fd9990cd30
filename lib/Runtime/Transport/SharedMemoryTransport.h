// SPDX-License-Identifier: Apache-2.0
//
// Ranks as processes of one machine.
//
// Every rank's arena is a memory file that all ranks map, so a collective
// reads the other ranks' tensors where they lie:
//
//   rank 0   post offsets ─┐        ┌─ read peers' tensors ─┐
//   rank 1   post offsets ─┼barrier─┼─ read peers' tensors ─┼barrier
//   rank 2   post offsets ─┘        └─ read peers' tensors ─┘
//
// The second barrier keeps an owner from changing a tensor that is still
// being read. Two other ways complete this one:
//  * small inputs are copied into the control segment, two slots per rank and
//    group used in turn, which needs no second barrier: a slot is written
//    again only after the next collective of the same group, whose barrier
//    all readers have passed;
//  * tensors outside the arena, and in == out where ranks would overwrite
//    what others still read, go piece by piece through a bounce buffer
//    behind the arena.

#ifndef SHARDSMITH_LIB_RUNTIME_TRANSPORT_SHAREDMEMORYTRANSPORT_H
#define SHARDSMITH_LIB_RUNTIME_TRANSPORT_SHAREDMEMORYTRANSPORT_H

#include "ByteRing.h"
#include "ControlSegment.h"
#include "PeerWatch.h"
#include "shardsmith/Runtime/ThreadTeam.h"
#include "shardsmith/Runtime/Transport/Transport.h"

#include <functional>
#include <map>
#include <span>

namespace shardsmith::runtime {

class SharedMemoryTransport final : public Transport {
public:
  SharedMemoryTransport(const GroupTable &groups, uint64_t programHash,
                        const LaunchEnvironment &environment,
                        const ThreadTeam &team,
                        const TransportOptions &options);

  std::string name() const override { return "shared memory"; }
  uint8_t *allocateArena(int64_t bytes) override;
  int64_t residentArenaBytes() const override;
  uint8_t *staging(int64_t bytes) override;
  bool runsBesideKernels() const override { return true; }

  void allReduce(const Group &group, ElementType type, Reduction reduction,
                 const void *in, void *out, int64_t count) override;
  void allGather(const Group &group, const void *in, void *out, int64_t outer,
                 int64_t chunkBytes) override;
  void reduceScatter(const Group &group, ElementType type, Reduction reduction,
                     const void *in, void *out, int64_t outer,
                     int64_t chunk) override;
  void allToAll(const Group &group, const void *in, void *out,
                int64_t blockBytes) override;
  void exchangeRows(const Group &group, const void *in, void *out,
                    const RowBlocks &blocks) override;
  void permute(const Group &group, const int32_t *sources, const void *in,
               void *out, int64_t bytes) override;
  void barrier(const Group &group) override;
  void send(size_t channel, const void *data, int64_t bytes) override;
  int64_t receive(size_t channel, void *data, int64_t bytes) override;

  void checkPeers() const override;
  void noteProgress() override;
  void noteStep(int64_t step) override;
  void announceFailure(ExitCode code) noexcept override;
  void finish() override;

private:
  /// Size of the bounce buffer.
  static constexpr int64_t bounceBytes = 1 << 20;

  /// What a collective is called with; ranks must agree on all of it.
  struct Call {
    enum class Kind {
      AllReduce,
      AllGather,
      ReduceScatter,
      AllToAll,
      Permute,
      ExchangeRows
    };
    Kind kind;
    int64_t detail; // element type and reduction, or zero
    const void *in;
    int64_t inBytes;
    void *out;
    int64_t outBytes;
    bool mayOverlap; // in == out is safe without a copy
  };
  /// How the inputs of a collective can be read, see the file's comment.
  enum class Access { Payload, Direct, Bounce };

  Access lend(const Group &group, const Call &call);
  void checkAgreement(const Group &group, int parity) const;
  void lendBounce(const Group &group);
  void allReduceDirect(const Group &group, ElementType type,
                       Reduction reduction, int64_t count);
  void reduceRows(ElementType type, Reduction reduction, int64_t offset,
                  int64_t stride, void *out, int64_t rows, int64_t count) const;
  void reducePiece(ElementType type, Reduction reduction, int64_t offset,
                   void *out, int64_t count) const;
  int64_t offsetInArena(const void *pointer, int64_t bytes) const;
  uint8_t *bounce(int rank) const;

  int64_t ownRingBytes() const;
  void openChannels();
  template <typename Side, typename Move>
  void stream(size_t channel, Side &side, int64_t bytes, Move move);

  /// Something that other ranks do, see SharedMemoryWait.cpp.
  struct Event {
    std::function<bool()> hasHappened;
    std::atomic<uint32_t> &word; // changes when it may have happened
    std::atomic<uint32_t> &sleepers;
    int32_t place;              // as in RankCell::waitingFor
    std::span<const int> ranks; // that take part in it
  };
  void waitFor(const Event &event);
  void waitForPeer(size_t channel, int peer, ByteCount &count,
                   const std::function<bool()> &canGoOn);
  static void wakeSleepers(ByteCount &count);
  [[noreturn]] void refuseStall(const Event &event) const;
  std::string describeWaiting(int rank) const;
  uint64_t totalProgress() const;

  int self;
  int ranks;
  const ThreadTeam &team;
  Group world;
  int cells; // of groups, which RankCell::waitingFor numbers before channels
  const ChannelTable &channels;
  std::chrono::milliseconds deadline;
  int spins; // rounds of busy waiting before sleeping
  ControlSegment control;
  PeerWatch watch;
  Mapping memory; // arena, bounce buffer, rings of channels from this rank
  int64_t arenaBytes = 0;
  std::vector<Mapping> peers;           // empty for this rank
  std::vector<uint8_t *> bases;         // of all ranks' memory
  std::vector<uint32_t> sequences;      // collectives so far, per group
  std::vector<const void *> inputs;     // by position, valid after lend
  std::vector<uint8_t *> outputs;       // by position, if all are in arenas
  std::map<size_t, RingWriter> writers; // of channels from this rank
  std::map<size_t, RingReader> readers; // of channels to this rank
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_TRANSPORT_SHAREDMEMORYTRANSPORT_H
