// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DRIVER_PROGRESSLINE_H
#define SHARDSMITH_DRIVER_PROGRESSLINE_H

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace shardsmith {

/// Shows `[search 3.2 s]` on standard error while it lives, from the first
/// second on. Does nothing where standard error is no terminal.
class ProgressLine {
public:
  explicit ProgressLine(std::string phase);
  ~ProgressLine();
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

private:
  void run();

  std::string phase;
  std::mutex mutex;
  std::condition_variable wake;
  bool done = false;
  std::thread thread;
};

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_PROGRESSLINE_H
