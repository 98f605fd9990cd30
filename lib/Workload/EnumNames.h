// SPDX-License-Identifier: Apache-2.0
//
// The names of enumerators in JSON and in messages.

#ifndef SHARDSMITH_LIB_WORKLOAD_ENUMNAMES_H
#define SHARDSMITH_LIB_WORKLOAD_ENUMNAMES_H

#include "shardsmith/Workload/Workload.h"

#include <array>
#include <optional>
#include <string_view>

namespace shardsmith::workload {

/// In the order of the enumerators.
inline constexpr std::array<std::string_view, 11> elementTypeNames = {
    "f64",      "f32", "tf32", "f16", "bf16", "f8E4M3FN",
    "f4E2M1FN", "i64", "i32",  "i8",  "i1"};
inline constexpr std::array<std::string_view, 4> factorKindNames = {
    "pass-through", "reduction", "row-statistic", "whole"};
inline constexpr std::array<std::string_view, 4> factorRoleNames = {
    "batch", "sequence", "expert", "other"};
inline constexpr std::array<std::string_view, 4> tensorRoleNames = {
    "activation", "parameter", "batch", "constant"};

template <typename Enum, size_t size>
std::string_view nameFor(Enum value,
                         const std::array<std::string_view, size> &words) {
  return words.at(static_cast<size_t>(value));
}

template <typename Enum, size_t size>
std::optional<Enum> enumFor(std::string_view word,
                            const std::array<std::string_view, size> &words) {
  for (size_t i = 0; i < size; ++i)
    if (words[i] == word)
      return static_cast<Enum>(i);
  return std::nullopt;
}

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_ENUMNAMES_H
