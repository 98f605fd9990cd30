// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/Interrupt.h"

namespace shardsmith {
namespace {

std::atomic<bool> interrupted{false};
/// InterruptFlags that live.
std::atomic<int> listeners{0};
static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);

} // namespace

InterruptFlag::InterruptFlag() { ++listeners; }

InterruptFlag::~InterruptFlag() { --listeners; }

const std::atomic<bool> *InterruptFlag::flag() const { return &interrupted; }

bool InterruptFlag::wasSet() { return interrupted; }

bool InterruptFlag::set() {
  return listeners > 0 && !interrupted.exchange(true);
}

} // namespace shardsmith
