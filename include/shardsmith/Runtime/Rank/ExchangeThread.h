// SPDX-License-Identifier: Apache-2.0
//
// Collectives that go on while a rank's kernels run.

#ifndef SHARDSMITH_RUNTIME_RANK_EXCHANGETHREAD_H
#define SHARDSMITH_RUNTIME_RANK_EXCHANGETHREAD_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace shardsmith::runtime {

/// A thread of a rank, beside those of its kernels, that does what it is given
/// in the order in which it is given it:
///
///     kernels     ── post(a) ── product ── post(b) ── product ── wait(a) ──
///     exchanges          └─ a ──────────┘     └─ b ───────┘
class ExchangeThread {
public:
  ExchangeThread();
  /// Waits for all that was posted.
  ~ExchangeThread();
  ExchangeThread(const ExchangeThread &) = delete;
  ExchangeThread &operator=(const ExchangeThread &) = delete;

  /// Takes over an exchange, which must not throw. Returns its number, from
  /// one on.
  int64_t post(std::function<void()> exchange);
  /// Waits for the exchange of this number and all before it; true if it had
  /// to.
  bool wait(int64_t number);
  /// Waits for all that was posted.
  void finish() { wait(posted); }

  /// Whether the caller is this thread.
  bool isCurrent() const {
    return std::this_thread::get_id() == worker.get_id();
  }

private:
  void work();

  std::mutex mutex;
  std::condition_variable mayWork, hasFinished;
  std::deque<std::function<void()>> waiting;
  int64_t posted = 0; ///< of the poster alone
  std::atomic<int64_t> finished = 0;
  bool ends = false;
  std::thread worker;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_RANK_EXCHANGETHREAD_H
