// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Rows.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace shardsmith::runtime {
namespace {

/// Where the slot of a row of a sample is in [parts, samples, count].
int64_t placeOf(const smith_rows &shape, int64_t sample, int64_t slot) {
  return (slot / shape.count * shape.samples + sample) * shape.count +
         slot % shape.count;
}

/// Calls body(sample) for all samples, on the team's threads where a sample's
/// rows are worth it.
template <typename Body>
void forSamples(const smith_rows &shape, const ThreadTeam &team, Body body) {
  int64_t bytes = std::max<int64_t>(shape.rows * shape.row_bytes, 1);
  team.parallelFor(shape.samples,
                   std::max<int64_t>(ThreadTeam::leastBytes / bytes, 1),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t sample = begin; sample < end; ++sample)
                       body(sample);
                   });
}

/// Where the row is that is this one in the order of the sequence. Of 2n parts
/// of the positions, part q is the first one of rank q or, in the second half,
/// the second one of rank 2n − 1 − q.
int64_t placeInOrder(const smith_rows &shape, int64_t row) {
  if (shape.zigzag == 0)
    return row;
  int64_t part = shape.rows / (2 * shape.zigzag), number = row / part;
  int64_t place =
      number < shape.zigzag ? 2 * number : 4 * shape.zigzag - 1 - 2 * number;
  return place * part + row % part;
}

} // namespace

/// A sample's rows are counted by expert, then each gets its place behind those
/// of experts before its own.
void placeRows(const smith_rows &shape, const int32_t *experts, int32_t *slots,
               int32_t *ends) {
  int64_t all = shape.parts * shape.experts;
  std::vector<int64_t> next(static_cast<size_t>(all));
  for (int64_t sample = 0; sample < shape.samples; ++sample) {
    const int32_t *own = experts + sample * shape.rows;
    int32_t *to = slots + sample * shape.rows;
    std::fill(next.begin(), next.end(), 0);
    for (int64_t row = 0; row < shape.rows; ++row)
      if (own[row] >= 0 && own[row] < all)
        ++next[static_cast<size_t>(own[row])];
    for (int64_t part = 0; part < shape.parts; ++part) {
      int64_t used = 0;
      for (int64_t expert = 0; expert < shape.experts; ++expert) {
        int64_t &first =
            next[static_cast<size_t>(part * shape.experts + expert)];
        int64_t rows = first;
        first = used;
        used = std::min(used + rows, shape.count);
        ends[(part * shape.samples + sample) * shape.experts + expert] =
            static_cast<int32_t>(used);
      }
    }
    for (int64_t row = 0; row < shape.rows; ++row) {
      to[row] = -1;
      if (own[row] < 0 || own[row] >= all)
        continue;
      int64_t position = next[static_cast<size_t>(own[row])]++;
      if (position < shape.count)
        to[row] = static_cast<int32_t>(own[row] / shape.experts * shape.count +
                                       position);
    }
  }
}

void packRows(const smith_rows &shape, const void *rows, const int32_t *slots,
              void *packed, const ThreadTeam &team) {
  const auto *from = static_cast<const std::byte *>(rows);
  auto *to = static_cast<std::byte *>(packed);
  int64_t slotCount = shape.parts * shape.count;
  forSamples(shape, team, [&](int64_t sample) {
    std::vector<bool> isUsed(static_cast<size_t>(slotCount));
    for (int64_t row = 0; row < shape.rows; ++row) {
      int64_t slot = slots[sample * shape.rows + row];
      if (slot < 0 || slot >= slotCount)
        continue;
      isUsed[static_cast<size_t>(slot)] = true;
      std::memcpy(to + placeOf(shape, sample, slot) * shape.row_bytes,
                  from + (sample * shape.rows + row) * shape.row_bytes,
                  static_cast<size_t>(shape.row_bytes));
    }
    for (int64_t slot = 0; slot < slotCount; ++slot)
      if (!isUsed[static_cast<size_t>(slot)])
        std::memset(to + placeOf(shape, sample, slot) * shape.row_bytes, 0,
                    static_cast<size_t>(shape.row_bytes));
  });
}

void unpackRows(const smith_rows &shape, const void *packed,
                const int32_t *slots, void *rows, const ThreadTeam &team) {
  const auto *from = static_cast<const std::byte *>(packed);
  auto *to = static_cast<std::byte *>(rows);
  int64_t slotCount = shape.parts * shape.count;
  forSamples(shape, team, [&](int64_t sample) {
    for (int64_t row = 0; row < shape.rows; ++row) {
      int64_t slot = slots[sample * shape.rows + row];
      std::byte *target = to + (sample * shape.rows + row) * shape.row_bytes;
      if (slot < 0 || slot >= slotCount)
        std::memset(target, 0, static_cast<size_t>(shape.row_bytes));
      else
        std::memcpy(target,
                    from + placeOf(shape, sample, slot) * shape.row_bytes,
                    static_cast<size_t>(shape.row_bytes));
    }
  });
}

int64_t limitRows(const smith_rows &shape, const int32_t *experts,
                  int32_t *kept) {
  int64_t dropped = 0;
  for (int64_t sample = 0; sample < shape.samples; ++sample) {
    std::vector<int64_t> rowsOf(static_cast<size_t>(shape.experts), 0);
    for (int64_t row = 0; row < shape.rows; ++row) {
      int64_t at = sample * shape.rows + placeInOrder(shape, row);
      int32_t expert = experts[at];
      bool isKept = expert < 0 || expert >= shape.experts ||
                    rowsOf[static_cast<size_t>(expert)]++ < shape.count;
      kept[at] = isKept ? expert : -1;
      dropped += isKept ? 0 : 1;
    }
  }
  return dropped;
}

} // namespace shardsmith::runtime
