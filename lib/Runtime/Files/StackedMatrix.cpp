// SPDX-License-Identifier: Apache-2.0

#include "StackedMatrix.h"

#include <cstring>

namespace shardsmith::runtime {

Shape StackedMatrix::fileShape(const Tensor &stack) {
  return {stack.globalShape[2], stack.globalShape[1]};
}

StackedMatrix::StackedMatrix(const Tensor &stack, const Shard &shard,
                             int64_t number)
    : elementBytes(byteSize(stack.type)), rowLength(shard.localShape[2]) {
  int64_t local = number - shard.start[0];
  bool isHeld = local >= 0 && local < shard.size[0];
  Shape size{shard.size[2], shard.size[1]};
  if (!isHeld)
    size = {0, 0};
  box = {fileShape(stack),
         size,
         {shard.start[2], shard.start[1]},
         size,
         shard.isFirstCopy};
  offset = local * shard.localShape[1] * rowLength;
}

template <typename Visitor> void StackedMatrix::forEach(Visitor visit) const {
  const int64_t outputs = box.size[0], inputs = box.size[1];
  for (int64_t output = 0; output < outputs; ++output)
    for (int64_t input = 0; input < inputs; ++input)
      visit((output * inputs + input) * elementBytes,
            (offset + input * rowLength + output) * elementBytes);
}

std::vector<uint8_t> StackedMatrix::take(const uint8_t *stack) const {
  std::vector<uint8_t> values(
      static_cast<size_t>(elementCount(box.size) * elementBytes));
  forEach([&](int64_t inBox, int64_t inStack) {
    std::memcpy(values.data() + inBox, stack + inStack,
                static_cast<size_t>(elementBytes));
  });
  return values;
}

void StackedMatrix::put(const std::vector<uint8_t> &values,
                        uint8_t *stack) const {
  forEach([&](int64_t inBox, int64_t inStack) {
    std::memcpy(stack + inStack, values.data() + inBox,
                static_cast<size_t>(elementBytes));
  });
}

} // namespace shardsmith::runtime
