// SPDX-License-Identifier: Apache-2.0
//
// How a search came to its end, and what that means to whoever started it:
// the table in docs/command-line.md.

#ifndef SHARDSMITH_DRIVER_SEARCHEND_H
#define SHARDSMITH_DRIVER_SEARCHEND_H

#include "shardsmith/Support/ExitCode.h"

#include <string>
#include <string_view>

namespace shardsmith {

enum class SearchEnd {
  /// There was nothing left to search.
  Itself,
  /// The limit that holds where none is given.
  DefaultLimit,
  GivenLimit,
  /// Ctrl-C.
  Interrupt,
  /// The same of memory.
  DefaultMemory,
  GivenMemory,
};

SearchEnd searchEnd(bool stoppedEarly, bool isLimitGiven, bool isInterrupted);
/// Of a search that ended because memory was short.
constexpr SearchEnd searchEndByMemory(bool isLimitGiven) {
  return isLimitGiven ? SearchEnd::GivenMemory : SearchEnd::DefaultMemory;
}

/// Of a search that has found a plan: 124 if the user has ended it. The default
/// limit is no reason to call a plan unfinished.
ExitCode exitCodeAfter(SearchEnd end);

/// What to say of the best plans so far; empty if the search came to its end.
/// `limit`: in seconds, or in GiB; `loss`: what may have been missed, as a
/// clause.
std::string noteAfter(SearchEnd end, double limit, std::string_view loss);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_SEARCHEND_H
