// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Strategy/Strategy.h"

#include <array>

namespace shardsmith {

namespace {

constexpr std::array<std::string_view, recomputeChoices> recomputeNames = {
    "none", "selective", "full"};

template <typename Enum, size_t Count>
std::optional<Enum> named(const std::array<std::string_view, Count> &names,
                          std::string_view name) {
  for (size_t i = 0; i < Count; ++i)
    if (names[i] == name)
      return Enum(i);
  return std::nullopt;
}

} // namespace

std::string_view nameOf(Recompute choice) {
  return recomputeNames[size_t(choice)];
}

std::optional<Recompute> recomputeNamed(std::string_view name) {
  return named<Recompute>(recomputeNames, name);
}

} // namespace shardsmith
