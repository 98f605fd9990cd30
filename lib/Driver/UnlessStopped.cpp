// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/UnlessStopped.h"

#include "shardsmith/Support/TemporaryPath.h"

#include <atomic>
#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace shardsmith {
namespace {

std::atomic<bool> isWorkLeftBehind{false};

} // namespace

bool waitUnlessStopped(
    const std::function<bool(std::chrono::milliseconds)> &isDone,
    const std::function<bool()> &isStopped) {
  constexpr std::chrono::milliseconds often(10);
  while (!isDone(often))
    if (isStopped())
      return isDone(stopPatience);
  return true;
}

void noteWorkLeftBehind() { isWorkLeftBehind = true; }

int leave(ExitCode code) {
  if (!isWorkLeftBehind)
    return static_cast<int>(code);
  removeTemporaryPaths();
  std::cout.flush();
  std::fflush(nullptr);
  _exit(static_cast<int>(code));
}

} // namespace shardsmith
