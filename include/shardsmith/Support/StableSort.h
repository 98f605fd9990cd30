// SPDX-License-Identifier: Apache-2.0
//
// std::stable_sort of libstdc++ 12 calls a function that it has itself marked
// as deprecated, so that every use is a warning.

#ifndef SHARDSMITH_SUPPORT_STABLESORT_H
#define SHARDSMITH_SUPPORT_STABLESORT_H

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace shardsmith {

/// Sorts a vector by rising `key`; of equal ones the first stays first.
template <typename Values, typename Key>
void stableSortBy(Values &values, Key key) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::sort(order, {}, [&](size_t place) {
    return std::pair(std::invoke(key, values[place]), place);
  });
  Values sorted;
  sorted.reserve(values.size());
  for (size_t place : order)
    sorted.push_back(std::move(values[place]));
  values = std::move(sorted);
}

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_STABLESORT_H
