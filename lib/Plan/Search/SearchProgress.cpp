// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Search/SearchProgress.h"

namespace shardsmith {

std::optional<SearchResult> SearchProgress::soFar() const {
  Result result;
  {
    std::lock_guard lock(mutex);
    result = latest;
  }
  if (!result)
    return std::nullopt;
  return result();
}

void SearchProgress::publish(Result result) {
  std::lock_guard lock(mutex);
  latest = std::move(result);
}

} // namespace shardsmith
