// SPDX-License-Identifier: Apache-2.0
//
// Active schedules after Giffler and Thompson: of all passes that could come
// next on their ranks, the one that would end first says which rank is decided;
// on it every pass that could start before that end competes, and the one with
// the highest priority runs. A pass that is about to become ready may thus be
// waited for, but a rank never idles so long that something would have fitted
// in.
//
//     rank 1, free at 10     W 10–18     I ready at 14, 14–24
//                            W would end first, at 18; I could start before:
//                            backward passes first → idle until 14, then I
//
// Memory: a forward pass may start only if the state stays safe, that is, if
// the micro-batches that the rank has begun could end one after the other,
// each with what those before it have freed. So no order of priorities gets
// stuck.

#ifndef SHARDSMITH_LIB_SCHEDULE_LISTSCHEDULER_H
#define SHARDSMITH_LIB_SCHEDULE_LISTSCHEDULER_H

#include "OrderPlayer.h"

#include <random>

namespace shardsmith::schedule {

/// Which of several passes runs first.
struct ListPriorities {
  /// Per rank: I before F, or F before I. W comes last.
  std::vector<bool> backwardFirst;
  /// Of several stages on a rank, the one nearer to the loss.
  bool nearLossFirst = true;
  bool splitsBackward = true;
  /// Whether a forward and a backward pass of different stages run together
  /// where both could start before the earliest end.
  bool pairsPasses = false;
  /// Chance that two kinds of pass change places, each time.
  double noise = 0;
  uint64_t seed = 0;
};

/// Every rank must have room for one micro-batch (`PassCosts::microBatchOn`).
PassOrder listSchedule(const PassCosts &costs,
                       const ListPriorities &priorities);

} // namespace shardsmith::schedule

#endif // SHARDSMITH_LIB_SCHEDULE_LISTSCHEDULER_H
