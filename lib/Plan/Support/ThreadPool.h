// SPDX-License-Identifier: Apache-2.0
//
// Threads that share the work of one round after another. They wait between
// rounds instead of being started anew, since a search has thousands of rounds
// of about a millisecond.

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
  /// The pool has `threads` threads in all, of which the one that calls `share`
  /// is the first.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// Calls `work(i)` once for every i in 0 … count − 1, in no particular order
  /// and on any thread. Returns when all calls have returned.
  void share(size_t count, const std::function<void(size_t)> &work);
  /// Calls `work(i)` once for every i in 0 … groups.size() − 1. All i with
  /// equal `groups[i]` are done by one thread, in rising order.
  void shareGroups(std::span<const size_t> groups,
                   const std::function<void(size_t)> &work);

private:
  void help();
  /// Takes calls of the round until none is left.
  void take();

  /// The work of the current round. Both are set before `round` is counted up,
  /// and do not change until no helper is busy.
  const std::function<void(size_t)> *work = nullptr;
  size_t count = 0;
  std::atomic<size_t> next = 0;
  std::atomic<unsigned> round = 0, busy = 0;
  bool isOver = false;
  std::vector<std::jthread> helpers;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SUPPORT_THREADPOOL_H
