// SPDX-License-Identifier: Apache-2.0

#include "ActivationBudgets.h"

#include <algorithm>

namespace shardsmith::search {

namespace {

std::optional<ActivationBudgets> activationBudgets(const StepModel &model,
                                                   const Strategy &outer,
                                                   unsigned pool) {
  StageWork nothing;
  ActivationBudgets ranks;
  for (int64_t rank = 0; rank < outer.pipeline; ++rank) {
    std::optional<Bytes> budget = model.savedBudget(rank, pool, nothing);
    if (!budget)
      return std::nullopt;
    ranks.total += *budget;
    ranks.least = std::min(ranks.least, *budget);
    ranks.most = std::max(ranks.most, *budget);
    if (ranks.budgets.empty() || ranks.budgets.back().budget != *budget)
      ranks.budgets.push_back({*budget, 0});
    ++ranks.budgets.back().count;
  }
  ranks.overhead = model.memory(0, pool, nothing).memory.total();
  return ranks;
}

} // namespace

RankBudgets ActivationBudgets::between(int64_t begin, int64_t end) const {
  RankBudgets within;
  int64_t first = 0;
  for (auto [budget, count] : budgets) {
    int64_t last = first + count;
    int64_t here = std::min(end, last) - std::max(begin, first);
    if (here > 0)
      within.push_back({budget, here});
    first = last;
  }
  return within;
}

const std::optional<ActivationBudgets> &
ActivationBudgetTable::of(const StepModel &model, const Strategy &outer,
                          unsigned pool) {
  std::lock_guard lock(mutex);
  auto [entry, isNew] = known.try_emplace(
      {pool, int64_t(outer.schedule), outer.virtualStages, outer.pipeline,
       model.microBatches(), model.memoryLimit(pool).count()});
  if (isNew)
    entry->second = activationBudgets(model, outer, pool);
  return entry->second;
}

} // namespace shardsmith::search
