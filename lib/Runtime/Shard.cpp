// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Shard.h"

#include <algorithm>

namespace shardsmith::runtime {

int64_t elementCount(const Shape &shape) {
  // Of an empty tensor the other sizes may be anything.
  if (std::ranges::find(shape, 0) != shape.end())
    return 0;
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

Shard wholeTensor(const Shape &shape) {
  return {shape, shape, Shape(shape.size(), 0), shape, true};
}

std::vector<Run> contiguousRuns(const Shard &shard, int64_t longest) {
  std::vector<Run> runs;
  if (!shard.isHeld || elementCount(shard.size) == 0)
    return runs;

  // Trailing dimensions that are whole in both tensors join the run; the
  // dimension before them may be partial.
  size_t outer = shard.globalShape.size();
  int64_t run = 1;
  while (outer > 0) {
    size_t dim = --outer;
    run *= shard.size[dim];
    if (shard.size[dim] != shard.globalShape[dim] ||
        shard.size[dim] != shard.localShape[dim])
      break;
  }

  // Count through the remaining dimensions like an odometer.
  Shape position(outer, 0);
  while (true) {
    int64_t global = 0, local = 0;
    for (size_t dim = 0; dim < shard.globalShape.size(); ++dim) {
      int64_t at = dim < outer ? position[dim] : 0;
      global = global * shard.globalShape[dim] + shard.start[dim] + at;
      local = local * shard.localShape[dim] + at;
    }
    for (int64_t begin = 0; begin < run; begin += std::min(longest, run))
      runs.push_back(
          {global + begin, local + begin, std::min(longest, run - begin)});

    size_t dim = outer;
    while (dim > 0 && ++position[dim - 1] == shard.size[dim - 1])
      position[--dim] = 0;
    if (dim == 0)
      return runs;
  }
}

} // namespace shardsmith::runtime
