// SPDX-License-Identifier: Apache-2.0
//
// Each line is sorted as positions, by merging: it is stable, and whatever the
// comparator answers, it ends with a permutation. The tensors follow once.

#include "shardsmith/Runtime/Sort.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace shardsmith::runtime {
namespace {

/// Least elements for one more thread.
constexpr int64_t threadElements = 4 << 10;

class LineSort {
public:
  LineSort(const smith_sort &sort, smith_comparator before,
           const void *const *inputs, void *const *results)
      : sort(sort), before(before), inputs(inputs), results(results),
        order(static_cast<size_t>(sort.length)), merged(order.size()) {}

  void run(int64_t line) {
    int64_t base =
        line / sort.inner * sort.length * sort.inner + line % sort.inner;
    for (int64_t i = 0; i < sort.length; ++i)
      order[static_cast<size_t>(i)] = base + i * sort.inner;
    for (int64_t run = 1; run < sort.length; run *= 2)
      mergeRuns(run);
    for (int32_t tensor = 0; tensor < sort.count; ++tensor)
      move(tensor, base);
  }

private:
  /// Merges neighbouring sorted runs of this length. Of equal elements the one
  /// on the left comes first.
  void mergeRuns(int64_t run) {
    for (int64_t start = 0; start < sort.length; start += 2 * run) {
      auto at = [&](int64_t place) {
        return order.begin() + std::min(place, sort.length);
      };
      std::merge(at(start), at(start + run), at(start + run),
                 at(start + 2 * run), merged.begin() + start,
                 [&](int64_t a, int64_t b) { return before(inputs, a, b); });
    }
    order.swap(merged);
  }

  void move(int32_t tensor, int64_t base) {
    auto bytes = static_cast<size_t>(sort.element_bytes[tensor]);
    auto *from = static_cast<const char *>(inputs[tensor]);
    auto *to = static_cast<char *>(results[tensor]);
    for (int64_t i = 0; i < sort.length; ++i) {
      auto source = static_cast<size_t>(order[static_cast<size_t>(i)]);
      auto target = static_cast<size_t>(base + i * sort.inner);
      std::memcpy(to + target * bytes, from + source * bytes, bytes);
    }
  }

  const smith_sort &sort;
  smith_comparator before;
  const void *const *inputs;
  void *const *results;
  std::vector<int64_t> order, merged;
};

} // namespace

void sortLines(const smith_sort &sort, smith_comparator before,
               const void *const *inputs, void *const *results,
               const ThreadTeam &team) {
  if (sort.length == 0)
    return;
  int64_t grain = std::max<int64_t>(threadElements / sort.length, 1);
  team.parallelFor(sort.outer * sort.inner, grain,
                   [&](int64_t begin, int64_t end) {
                     LineSort lines(sort, before, inputs, results);
                     for (int64_t line = begin; line < end; ++line)
                       lines.run(line);
                   });
}

} // namespace shardsmith::runtime
