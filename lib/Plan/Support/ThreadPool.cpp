// SPDX-License-Identifier: Apache-2.0

#include "ThreadPool.h"

#include "shardsmith/Support/StableSort.h"

#include <algorithm>
#include <map>

namespace shardsmith::search {

ThreadPool::ThreadPool(unsigned threads) {
  for (unsigned helper = 1; helper < threads; ++helper)
    helpers.emplace_back([this] { help(); });
}

ThreadPool::~ThreadPool() {
  isOver = true;
  ++round;
  round.notify_all();
}

void ThreadPool::help() {
  for (unsigned last = 0;;) {
    round.wait(last);
    last = round;
    if (isOver)
      return;
    take();
    if (--busy == 0)
      busy.notify_one();
  }
}

void ThreadPool::take() {
  for (size_t i = next++; i < count; i = next++)
    (*work)(i);
}

void ThreadPool::share(size_t items, const std::function<void(size_t)> &each) {
  work = &each;
  count = items;
  next = 0;
  bool isShared = items > 1 && !helpers.empty();
  if (isShared) {
    busy = unsigned(helpers.size());
    ++round;
    round.notify_all();
  }
  take();
  if (isShared)
    for (unsigned left = busy; left > 0; left = busy)
      busy.wait(left);
}

// Large groups first, so that none is left for one thread at the end.
void ThreadPool::shareGroups(std::span<const size_t> groups,
                             const std::function<void(size_t)> &each) {
  if (helpers.empty())
    return share(groups.size(), each);
  std::map<size_t, std::vector<size_t>> byGroup;
  for (size_t i = 0; i < groups.size(); ++i)
    byGroup[groups[i]].push_back(i);
  std::vector<std::vector<size_t>> inOrder;
  for (auto &[group, items] : byGroup)
    inOrder.push_back(std::move(items));
  stableSortBy(inOrder,
               [](const auto &items) { return -int64_t(items.size()); });
  share(inOrder.size(), [&](size_t group) {
    for (size_t i : inOrder[group])
      each(i);
  });
}

} // namespace shardsmith::search
