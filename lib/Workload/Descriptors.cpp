// SPDX-License-Identifier: Apache-2.0

#include "DescriptorWords.h"

#include <algorithm>

namespace shardsmith::workload {

template <typename Parts>
static OpDescriptors described(std::optional<Parts> OpDescriptors::*descriptor,
                               Parts parts) {
  OpDescriptors descriptors;
  descriptors.*descriptor = parts;
  return descriptors;
}

std::span<const DescriptorWord> descriptorWords() {
  using Op = OpDescriptors;
  static const DescriptorWord words[] = {
      {"matmul", described(&Op::product, {})},
      {"grouped-matmul", described(&Op::product, {.isPerExpert = true})},
      {"attention", described(&Op::attention, {})},
      {"lookup", described(&Op::lookup, {})},
      {"dispatch", described(&Op::exchange, {.isToExperts = true})},
      {"combine", described(&Op::exchange, {.isToExperts = false})},
      {"fused", {}}};
  return words;
}

std::string_view wordFor(const OpDescriptors &descriptors) {
  OpDescriptors wanted = descriptors;
  // All attention has the same word, whatever its parts are.
  if (wanted.attention)
    wanted.attention.emplace();
  auto found = std::ranges::find(descriptorWords(), wanted,
                                 &DescriptorWord::descriptors);
  return found == descriptorWords().end() ? "op" : found->word;
}

} // namespace shardsmith::workload
