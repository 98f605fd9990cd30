// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/TopK.h"

#include "shardsmith/Runtime/ElementType.h"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

namespace shardsmith::runtime {
namespace {

/// A value that `<` orders: 16-bit floats as float, others as they are.
template <typename T> auto comparable(T value) {
  if constexpr (requires { value.toFloat(); })
    return value.toFloat();
  else
    return value;
}

/// Larger first, NaN above infinity.
template <typename T> bool isAbove(T a, T b) {
  auto left = comparable(a), right = comparable(b);
  if constexpr (std::is_floating_point_v<decltype(left)>)
    if (std::isnan(left) || std::isnan(right))
      return std::isnan(left) && !std::isnan(right);
  return left > right;
}

/// Least elements that are looked through for one more thread.
constexpr int64_t threadElements = 8 << 10;

template <typename T>
void topKRows(const ThreadTeam &team, const T *in, T *values, int32_t *indices,
              int64_t rows, int64_t length, int64_t kept) {
  int64_t grain =
      std::max<int64_t>(threadElements / std::max<int64_t>(length, 1), 1);
  team.parallelFor(rows, grain, [&](int64_t begin, int64_t end) {
    std::vector<int32_t> order(static_cast<size_t>(length));
    for (int64_t row = begin; row < end; ++row) {
      const T *from = in + row * length;
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + kept, order.end(),
                        [&](int32_t a, int32_t b) {
                          if (isAbove(from[a], from[b]))
                            return true;
                          return !isAbove(from[b], from[a]) && a < b;
                        });
      for (int64_t place = 0; place < kept; ++place) {
        int32_t index = order[static_cast<size_t>(place)];
        values[row * kept + place] = from[index];
        indices[row * kept + place] = index;
      }
    }
  });
}

} // namespace

void topK(const ThreadTeam &team, smith_dtype type, const void *in,
          void *values, int32_t *indices, int64_t rows, int64_t length,
          int64_t kept) {
  visitElementType(type, [&](auto tag) {
    using T = decltype(tag);
    topKRows(team, static_cast<const T *>(in), static_cast<T *>(values),
             indices, rows, length, kept);
  });
}

} // namespace shardsmith::runtime
