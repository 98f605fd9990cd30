// SPDX-License-Identifier: Apache-2.0
//
// Work that a command waits for, unless it is told to stop:
//
//   not stopped            until the work is done
//   stopped                a moment longer: work that looks at its flag ends
//   that moment is over    no longer: a thread goes on with the work until the
//                          process ends, and the command with what it has
//
// So a command that is stopped answers in time wherever its work is, be it in
// a loop that looks at no flag.

#ifndef SHARDSMITH_DRIVER_UNLESSSTOPPED_H
#define SHARDSMITH_DRIVER_UNLESSSTOPPED_H

#include "shardsmith/Support/ExitCode.h"

#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <thread>

namespace shardsmith {

/// That long a command waits for work that has been told to stop.
inline constexpr std::chrono::milliseconds stopPatience(50);

/// Waits until `isDone(time)`, which waits that time at most, or until
/// `isStopped()` and `stopPatience` has passed. Returns whether it is done.
bool waitUnlessStopped(
    const std::function<bool(std::chrono::milliseconds)> &isDone,
    const std::function<bool()> &isStopped);

/// Some work goes on.
void noteWorkLeftBehind();

/// Ends `main`: where work goes on, without destroying what it may use.
int leave(ExitCode code);

/// What `work()` returns or throws; nothing if it was left behind. `work` must
/// own all that it uses.
template <typename Work>
auto unlessStopped(Work work, const std::function<bool()> &isStopped)
    -> std::optional<std::invoke_result_t<Work>> {
  std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
  auto result = task.get_future();
  std::thread thread(std::move(task));
  auto isDone = [&](std::chrono::milliseconds time) {
    return result.wait_for(time) == std::future_status::ready;
  };
  if (!waitUnlessStopped(isDone, isStopped)) {
    thread.detach();
    noteWorkLeftBehind();
    return std::nullopt;
  }
  thread.join();
  return result.get();
}

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_UNLESSSTOPPED_H
