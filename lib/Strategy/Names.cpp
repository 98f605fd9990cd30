// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Strategy/Strategy.h"

#include <array>

namespace shardsmith {

namespace {

constexpr std::array<std::string_view, recomputeChoices> recomputeNames = {
    "none", "selective", "full"};

constexpr std::array<std::string_view, 8> scheduleNames = {
    "gpipe", "1f1b",  "eager-1f1b", "interleaved",
    "zb-h1", "zb-h2", "zb-v",       "dualpipe-v"};

template <typename Enum, size_t Count>
std::optional<Enum> named(const std::array<std::string_view, Count> &names,
                          std::string_view name) {
  for (size_t i = 0; i < Count; ++i)
    if (names[i] == name)
      return Enum(i);
  return std::nullopt;
}

} // namespace

std::string_view nameOf(PlanAxis axis) {
  constexpr std::array<std::string_view, 4> names = {"tensor", "context",
                                                     "data", "pipeline"};
  return names[size_t(axis)];
}

std::string_view nameOf(Recompute choice) {
  return recomputeNames[size_t(choice)];
}

std::optional<Recompute> recomputeNamed(std::string_view name) {
  return named<Recompute>(recomputeNames, name);
}

std::string_view nameOf(ScheduleFamily family) {
  return scheduleNames[size_t(family)];
}

std::optional<ScheduleFamily> scheduleNamed(std::string_view name) {
  return named<ScheduleFamily>(scheduleNames, name);
}

std::string_view nameOf(ContextMethod method) {
  return method == ContextMethod::Ring ? "ring" : "all-to-all";
}

} // namespace shardsmith
