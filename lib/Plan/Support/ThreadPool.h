// SPDX-License-Identifier: Apache-2.0
//
// Threads that share the work of one round after the other. They stay: a search
// has thousands of rounds of a millisecond each.

#ifndef SHARDSMITH_LIB_PLAN_SUPPORT_THREADPOOL_H
#define SHARDSMITH_LIB_PLAN_SUPPORT_THREADPOOL_H

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <thread>
#include <vector>

namespace shardsmith::search {

class ThreadPool {
public:
  /// The thread that calls `share` is one of them.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// Calls `work` for 0 … count − 1; returns when all are done.
  void share(size_t count, const std::function<void(size_t)> &work);
  /// The same for 0 … groups.size() − 1; one thread does all of a group.
  void shareGroups(std::span<const size_t> groups,
                   const std::function<void(size_t)> &work);

private:
  void help();
  /// Takes what is left of the round.
  void take();

  /// Of the round. Set before `round` is counted up, and not changed until no
  /// helper is busy.
  const std::function<void(size_t)> *work = nullptr;
  size_t count = 0;
  std::atomic<size_t> next = 0;
  std::atomic<unsigned> round = 0, busy = 0;
  bool isOver = false;
  std::vector<std::jthread> helpers;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SUPPORT_THREADPOOL_H
