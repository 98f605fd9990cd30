// SPDX-License-Identifier: Apache-2.0
//
// How much memory a schedule leaves to the pipeline ranks for saved
// activations. A rank that has more micro-batches in flight may save less for
// each of them:
//
//     1F1B     in flight     budget per micro-batch
//     rank 0       4         ####
//     rank 1       3         #####
//     rank 2       2         ########
//     rank 3       1         ################

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_ACTIVATIONBUDGETS_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_ACTIVATIONBUDGETS_H

#include "../Support/NumberHash.h"
#include "SegmentMakespanBound.h"

#include "shardsmith/Cost/Step/StepModel.h"

#include <mutex>

namespace shardsmith::search {

/// Saved bytes per micro-batch for which ranks that hold no parameters have
/// room: `total` of all ranks together, `least` of the rank with most
/// micro-batches in flight, `most` of the one with fewest. `overhead` is what
/// every rank needs beside.
struct ActivationBudgets {
  Bytes total, least = Bytes::saturated(), most, overhead;
  /// The budgets in the order of the pipeline; neighbouring ranks with equal
  /// budgets are one entry.
  RankBudgets budgets;

  /// The part of `budgets` that belongs to the ranks [begin, end).
  RankBudgets between(int64_t begin, int64_t end) const;
};

/// Activation budgets by what decides them, each made when it is first asked
/// for. References stay valid, and several threads may ask at once.
class ActivationBudgetTable {
public:
  /// The budgets on devices of `pool`; nothing if the overhead alone exceeds
  /// the memory. They depend on the schedule, the pipeline degree, the number
  /// of micro-batches and the memory, and on nothing else of `outer`.
  const std::optional<ActivationBudgets> &
  of(const StepModel &model, const Strategy &outer, unsigned pool);

private:
  std::mutex mutex;
  /// The key is the pool, the schedule, stages per rank, ranks, micro-batches
  /// and memory.
  ByNumbers<6, std::optional<ActivationBudgets>> known;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_ACTIVATIONBUDGETS_H
