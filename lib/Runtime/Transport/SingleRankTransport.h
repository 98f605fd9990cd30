// SPDX-License-Identifier: Apache-2.0
//
// A program of one rank: collectives never reach the transport, because all
// groups have one member, nor do messages, because there are no channels.

#ifndef SHARDSMITH_LIB_RUNTIME_TRANSPORT_SINGLERANKTRANSPORT_H
#define SHARDSMITH_LIB_RUNTIME_TRANSPORT_SINGLERANKTRANSPORT_H

#include "shardsmith/Runtime/Transport/Transport.h"

namespace shardsmith::runtime {

class SingleRankTransport final : public Transport {
public:
  std::string name() const override { return "single rank"; }
  uint8_t *allocateArena(int64_t bytes) override {
    arena = Mapping::anonymous(bytes);
    return arena.data();
  }
  int64_t residentArenaBytes() const override {
    return arena.residentBytes(arena.size());
  }

  void allReduce(const Group &, ElementType, Reduction, const void *, void *,
                 int64_t) override {}
  void allGather(const Group &, const void *, void *, int64_t,
                 int64_t) override {}
  void reduceScatter(const Group &, ElementType, Reduction, const void *,
                     void *, int64_t, int64_t) override {}
  void allToAll(const Group &, const void *, void *, int64_t) override {}
  void exchangeRows(const Group &, const void *, void *,
                    const RowBlocks &) override {}
  void permute(const Group &, const int32_t *, const void *, void *,
               int64_t) override {}
  void barrier(const Group &) override {}
  void send(size_t, const void *, int64_t) override {}
  int64_t receive(size_t, void *, int64_t bytes) override { return bytes; }
  void finish() override {}

private:
  Mapping arena;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_TRANSPORT_SINGLERANKTRANSPORT_H
