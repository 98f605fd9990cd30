// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_INTERPRETER_KERNELS_ORDERING_H
#define SHARDSMITH_LIB_INTERPRETER_KERNELS_ORDERING_H

#include "shardsmith/Interpreter/TensorMemory.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace shardsmith::inline interpreter {

/// The positions 0…count-1 in the order that `before` gives them, equal ones
/// as they were. Merge sort: a relation that is no order at all, which a
/// program may well hold, gives some permutation and no undefined behaviour.
template <typename Before>
TensorVector<int64_t> stableOrder(int64_t count, Before before) {
  TensorVector<int64_t> order(count), merged(count);
  std::iota(order.begin(), order.end(), 0);
  for (int64_t run = 1; run < count; run *= 2) {
    for (int64_t start = 0; start < count; start += 2 * run) {
      const int64_t middle = std::min(start + run, count);
      const int64_t end = std::min(start + 2 * run, count);
      int64_t left = start, right = middle;
      for (int64_t out = start; out < end; ++out) {
        const bool takeRight =
            right < end &&
            (left == middle || before(order[right], order[left]));
        merged[out] = takeRight ? order[right++] : order[left++];
      }
    }
    order.swap(merged);
  }
  return order;
}

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_KERNELS_ORDERING_H
