// SPDX-License-Identifier: Apache-2.0

#include "ReshardPrices.h"

#include "shardsmith/Sharding/ShardingAttributes.h"

#include <algorithm>

using namespace mlir;

namespace shardsmith::plan {

int64_t ReshardPrices::price(RankedTensorType type, unsigned from,
                             unsigned to) {
  if (from == to)
    return 0;
  Key key{type.getAsOpaquePointer(), from, to};
  auto [entry, isNew] = prices.try_emplace(key, 0);
  if (isNew) {
    int64_t bytes = getElementBytes(type.getElementType());
    entry->second =
        std::min(costs
                     .reshard(decomposeReshard(costs.getMesh(), type.getShape(),
                                               bytes, pool[from], pool[to]),
                              bytes)
                     .count(),
                 forbiddenCost);
  }
  return entry->second;
}

std::shared_ptr<const CostTable>
ReshardPrices::table(RankedTensorType type, const std::vector<unsigned> &from,
                     const std::vector<unsigned> &to, int64_t times) {
  auto &cached =
      tables[{type.getAsOpaquePointer(), listId(from), listId(to), times}];
  if (cached)
    return cached;
  auto table = std::make_shared<CostTable>();
  table->rows = from.size();
  table->columns = to.size();
  for (unsigned row : from)
    for (unsigned column : to)
      table->entries.push_back(
          (Nanoseconds(price(type, row, column)) * times).count());
  cached = table;
  return cached;
}

} // namespace shardsmith::plan
