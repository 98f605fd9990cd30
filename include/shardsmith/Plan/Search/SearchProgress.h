// SPDX-License-Identifier: Apache-2.0
//
// What a search that still runs has found so far, for whoever cannot wait for
// it. The search and whoever asks may be different threads.

#ifndef SHARDSMITH_PLAN_SEARCHPROGRESS_H
#define SHARDSMITH_PLAN_SEARCHPROGRESS_H

#include "shardsmith/Plan/Search/Search.h"

#include <functional>
#include <mutex>
#include <optional>

namespace shardsmith {

class SearchProgress {
public:
  using Result = std::function<SearchResult()>;

  /// What the search would give if it were stopped now; nothing before it has
  /// found a plan. The context of the search must still be there.
  std::optional<SearchResult> soFar() const;

  /// For the search. `result` must not refer to anything but its context: it
  /// may be called when the search is over.
  void publish(Result result);

private:
  mutable std::mutex mutex;
  Result latest;
};

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_SEARCHPROGRESS_H
