// SPDX-License-Identifier: Apache-2.0
//
// Collectives made of messages, and messages, for ranks on several machines.
//
// An all-reduce is a reduce-scatter and an all-gather, both direct: every
// rank sends each other rank the part that this one is to reduce, and then
// its own reduced part to all. That moves 2(n−1)/n of the data per rank,
// which is the least possible, and reduces in the order of the group, so the
// result has the same bits as over shared memory.

#ifndef SHARDSMITH_LIB_RUNTIME_TRANSPORT_MESSAGETRANSPORT_H
#define SHARDSMITH_LIB_RUNTIME_TRANSPORT_MESSAGETRANSPORT_H

#include "Messenger.h"
#include "shardsmith/Runtime/ThreadTeam.h"
#include "shardsmith/Runtime/Transport/Transport.h"

#include <memory>
#include <thread>

namespace shardsmith::runtime {

class MessageTransport final : public Transport {
public:
  MessageTransport(const GroupTable &groups,
                   std::unique_ptr<Messenger> messenger,
                   const ThreadTeam &team);

  std::string name() const override { return messenger->name(); }
  uint8_t *allocateArena(int64_t bytes) override;
  int64_t residentArenaBytes() const override;

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
  void noteProgress() override;
  void finish() override;

private:
  /// Sends outgoing[p] to and receives incoming[p] from position p; this
  /// rank's own entries are left alone.
  void exchangeWithGroup(const Group &group,
                         const std::vector<OutgoingMessage> &outgoing,
                         const std::vector<IncomingMessage> &incoming);
  void reduceParts(ElementType type, Reduction reduction,
                   const std::vector<const void *> &parts, void *out,
                   int64_t count) const;

  Group world;
  const ChannelTable &channels;
  std::thread::id owner = std::this_thread::get_id();
  std::unique_ptr<Messenger> messenger;
  const ThreadTeam &team;
  Mapping arena;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_TRANSPORT_MESSAGETRANSPORT_H
