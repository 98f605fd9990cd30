// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/ProgressLine.h"

#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

namespace shardsmith {

ProgressLine::ProgressLine(std::string phase) : phase(std::move(phase)) {
  if (isatty(STDERR_FILENO))
    thread = std::thread([this] { run(); });
}

ProgressLine::~ProgressLine() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    done = true;
  }
  wake.notify_one();
  thread.join();
}

void ProgressLine::run() {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  bool shown = false;
  std::unique_lock lock(mutex);
  while (!wake.wait_for(lock, std::chrono::milliseconds(100),
                        [this] { return done; })) {
    double seconds =
        std::chrono::duration<double>(Clock::now() - start).count();
    if (seconds < 1)
      continue;
    fmt::print(stderr, "\r[{} {:.1f} s]", phase, seconds);
    std::fflush(stderr);
    shown = true;
  }
  if (shown)
    fmt::print(stderr, "\r\033[K");
}

} // namespace shardsmith
