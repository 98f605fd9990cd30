// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Strategy/Strategy.h"

#include <array>

namespace shardsmith {

namespace {

constexpr std::array<std::string_view, 8> scheduleNames = {
    "gpipe", "1f1b",  "eager-1f1b", "interleaved",
    "zb-h1", "zb-h2", "zb-v",       "dualpipe-v"};

} // namespace

std::string_view nameOf(PlanAxis axis) {
  constexpr std::array<std::string_view, 4> names = {"tensor", "context",
                                                     "data", "pipeline"};
  return names[size_t(axis)];
}

std::string_view nameOf(Recompute choice) {
  constexpr std::array<std::string_view, recomputeChoices> names = {
      "none", "selective", "full"};
  return names[size_t(choice)];
}

std::string_view nameOf(ScheduleFamily family) {
  return scheduleNames[size_t(family)];
}

std::optional<ScheduleFamily> scheduleNamed(std::string_view name) {
  for (size_t i = 0; i < scheduleNames.size(); ++i)
    if (scheduleNames[i] == name)
      return ScheduleFamily(i);
  return std::nullopt;
}

std::string_view nameOf(ContextMethod method) {
  return method == ContextMethod::Ring ? "ring" : "all-to-all";
}

} // namespace shardsmith
