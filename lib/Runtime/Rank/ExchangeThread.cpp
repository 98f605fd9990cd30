// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Rank/ExchangeThread.h"

#include "shardsmith/Runtime/ThreadTeam.h"

#include <csignal>
#include <utility>

namespace shardsmith::runtime {
namespace {

/// Signals go to the thread that runs kernels: a new thread has those blocked
/// that its maker has.
class BlockedSignals {
public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }

private:
  sigset_t before;
};

} // namespace

ExchangeThread::ExchangeThread() {
  BlockedSignals blocked;
  worker = std::thread([this] { work(); });
}

ExchangeThread::~ExchangeThread() {
  {
    std::lock_guard lock(mutex);
    ends = true;
  }
  mayWork.notify_one();
  worker.join();
}

int64_t ExchangeThread::post(std::function<void()> exchange) {
  {
    std::lock_guard lock(mutex);
    waiting.push_back(std::move(exchange));
  }
  mayWork.notify_one();
  return ++posted;
}

bool ExchangeThread::wait(int64_t number) {
  if (finished.load() >= number)
    return false;
  std::unique_lock lock(mutex);
  hasFinished.wait(lock, [&] { return finished.load() >= number; });
  return true;
}

void ExchangeThread::work() {
  ThreadTeam::stayOnThisThread();
  std::unique_lock lock(mutex);
  while (true) {
    mayWork.wait(lock, [&] { return ends || !waiting.empty(); });
    if (waiting.empty())
      return;
    std::function<void()> exchange = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    exchange();
    lock.lock();
    ++finished;
    hasFinished.notify_all();
  }
}

} // namespace shardsmith::runtime
