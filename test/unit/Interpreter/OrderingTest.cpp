// SPDX-License-Identifier: Apache-2.0

#include "Kernels/Ordering.h"

#include "TensorBuilders.h"

namespace shardsmith {
namespace {

TEST(Ordering, KeepsTheOrderOfEqualElements) {
  const std::vector<int> keys = {3, 1, 2, 1, 3, 2, 1};
  EXPECT_THAT(
      stableOrder(keys.size(),
                  [&](int64_t a, int64_t b) { return keys[a] < keys[b]; }),
      ElementsAre(1, 3, 6, 2, 5, 0, 4));
}

TEST(Ordering, AnyRelationGivesAPermutation) {
  auto order = stableOrder(100, [](int64_t, int64_t) { return true; });
  std::sort(order.begin(), order.end());
  for (int64_t i = 0; i < 100; ++i)
    EXPECT_EQ(order[i], i);
}

} // namespace
} // namespace shardsmith
