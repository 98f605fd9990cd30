// SPDX-License-Identifier: Apache-2.0

#include "Interrupt.h"

#include <csignal>

namespace shardsmith {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void onInterrupt(int) { interrupted = true; }

} // namespace

InterruptFlag::InterruptFlag() {
  interrupted = false;
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  // Restores the default: a second Ctrl-C ends a process that does not react.
  action.sa_flags = int(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}

InterruptFlag::~InterruptFlag() { std::signal(SIGINT, SIG_DFL); }

const std::atomic<bool> *InterruptFlag::flag() const { return &interrupted; }

bool InterruptFlag::wasSet() { return interrupted; }

} // namespace shardsmith
