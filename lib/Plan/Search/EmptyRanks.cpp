// SPDX-License-Identifier: Apache-2.0

#include "EmptyRanks.h"

#include <algorithm>
#include <map>

namespace shardsmith::search {

namespace {

std::optional<EmptyRanks> emptyRanks(const StepModel &model,
                                     const Strategy &outer, unsigned pool) {
  StageWork nothing;
  EmptyRanks ranks;
  std::map<Bytes, int64_t> budgets;
  for (int64_t rank = 0; rank < outer.pipeline; ++rank) {
    std::optional<Bytes> budget = model.savedBudget(rank, pool, nothing);
    if (!budget)
      return std::nullopt;
    ranks.total += *budget;
    ranks.least = std::min(ranks.least, *budget);
    ++budgets[*budget];
  }
  for (auto [bytes, count] : budgets)
    ranks.budgets.push_back({bytes, count});
  ranks.overhead = model.memory(0, pool, nothing).memory.total();
  return ranks;
}

} // namespace

const std::optional<EmptyRanks> &EmptyRanksTable::of(const StepModel &model,
                                                     const Strategy &outer,
                                                     unsigned pool) {
  std::lock_guard lock(mutex);
  auto [entry, isNew] = known.try_emplace(
      {pool, int64_t(outer.schedule), outer.virtualStages, outer.pipeline,
       model.microBatches(), model.memoryLimit(pool).count()});
  if (isNew)
    entry->second = emptyRanks(model, outer, pool);
  return entry->second;
}

} // namespace shardsmith::search
