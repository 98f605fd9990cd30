// SPDX-License-Identifier: Apache-2.0
//
// What the stages of a rank hold, micro-batch by micro-batch, and which forward
// passes may start. A state is safe if the micro-batches that the rank has
// begun can end one after the other, each with the memory that is left and what
// those before it have freed (Dijkstra's banker's algorithm):
//
//     limit 6, two stages that save 2 and 1 bytes per micro-batch
//     m0 holds 2, m1 holds 2: 2 left, m0 needs 1 more and frees 3 in the end
//     F(m2) of the first stage would take the last 2: m0 could never end
//
// Micro-batches end in their order on all ranks, so where every rank's state is
// safe no rank waits for ever.

#ifndef SHARDSMITH_LIB_SCHEDULE_RANKMEMORY_H
#define SHARDSMITH_LIB_SCHEDULE_RANKMEMORY_H

#include "shardsmith/Support/Quantity.h"

#include <map>

namespace shardsmith::schedule {

class RankMemory {
public:
  /// `microBatch`: what one of them holds when all its stages have run forward.
  RankMemory(Bytes limit, Bytes microBatch)
      : limit(limit), microBatch(microBatch) {}

  /// Whether a forward pass of micro-batch `m` that saves `bytes` leaves a safe
  /// state.
  bool allows(int64_t m, Bytes bytes) const {
    Bytes free = limit - held - bytes;
    if (free < Bytes(0))
      return false;
    auto endsNext = [&](const Begun &each, Bytes more) {
      Bytes missing = microBatch - each.everHeld - more;
      if (missing > free)
        return false;
      free += each.held + more;
      return true;
    };
    bool isNew = true;
    for (const auto &[number, each] : begun) {
      isNew &= number != m;
      if (!endsNext(each, number == m ? bytes : Bytes(0)))
        return false;
    }
    return !isNew || endsNext({}, bytes);
  }
  void hold(int64_t m, Bytes bytes) {
    Begun &each = begun[m];
    each.held += bytes;
    each.everHeld += bytes;
    held += bytes;
  }
  void release(int64_t m, Bytes bytes) {
    auto each = begun.find(m);
    // Stages that save nothing may end behind all that their micro-batch holds.
    if (each == begun.end())
      return;
    each->second.held = each->second.held - bytes;
    held = held - bytes;
    bool isThrough =
        each->second.held == Bytes(0) && each->second.everHeld == microBatch;
    if (isThrough)
      begun.erase(each);
  }

private:
  struct Begun {
    Bytes held, everHeld;
  };
  Bytes limit, microBatch, held;
  std::map<int64_t, Begun> begun;
};

} // namespace shardsmith::schedule

#endif // SHARDSMITH_LIB_SCHEDULE_RANKMEMORY_H
