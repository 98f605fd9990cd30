// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/SearchEnd.h"

#include <fmt/format.h>

namespace shardsmith {

SearchEnd searchEnd(bool stoppedEarly, bool isLimitGiven, bool isInterrupted) {
  if (!stoppedEarly)
    return SearchEnd::Itself;
  if (isInterrupted)
    return SearchEnd::Interrupt;
  return isLimitGiven ? SearchEnd::GivenLimit : SearchEnd::DefaultLimit;
}

ExitCode exitCodeAfter(SearchEnd end) {
  bool byUser = end == SearchEnd::GivenLimit || end == SearchEnd::GivenMemory ||
                end == SearchEnd::Interrupt;
  return byUser ? ExitCode::TimeLimit : ExitCode::Success;
}

std::string noteAfter(SearchEnd end, double limit, std::string_view loss) {
  if (end == SearchEnd::Itself)
    return "";
  if (end == SearchEnd::DefaultMemory || end == SearchEnd::GivenMemory)
    return fmt::format("note: the search reached its limit of {} GiB of "
                       "memory, so {}; --max-memory sets another, 0 for none",
                       limit, loss);
  bool isLimit = end != SearchEnd::Interrupt;
  return fmt::format(
      "note: the search {}, so {}{}",
      isLimit ? fmt::format("reached its limit of {} s", limit) : "was stopped",
      loss, isLimit ? "; --time-limit sets another, 0 for none" : "");
}

} // namespace shardsmith
