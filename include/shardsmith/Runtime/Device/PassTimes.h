// SPDX-License-Identifier: Apache-2.0
//
// From when actions ran to when passes did, and how long the stream of kernels
// stood still for messages.
//
//     stream 0   ├─ 0F0 ─┤         ├copy├─ 0I0 ─┤
//     stream 2   ├───── receive ───┤
//     waits              ├─────────┤

#ifndef SHARDSMITH_RUNTIME_DEVICE_PASSTIMES_H
#define SHARDSMITH_RUNTIME_DEVICE_PASSTIMES_H

#include "shardsmith/Runtime/Device/ActionList.h"

#include <span>
#include <vector>

namespace shardsmith::runtime::device {

/// When the action of this number ran. Times are nanoseconds from the beginning
/// of the step.
struct TimedAction {
  size_t number = 0;
  int64_t begin = 0, end = 0;
};

struct TimeSpan {
  int64_t begin = 0, end = 0;
};

struct MessageWait {
  size_t action = 0; ///< that receives the message
  int64_t begin = 0, end = 0;
};

struct StepTimes {
  /// Of every pass of the list, what it has in the stream of kernels, from the
  /// first to the last of it.
  std::vector<TimeSpan> passes;
  std::vector<MessageWait> waits;
};

/// `times` are in the order in which actions were put into streams.
StepTimes timesOfPasses(const ActionList &list,
                        std::span<const TimedAction> times);

} // namespace shardsmith::runtime::device

#endif // SHARDSMITH_RUNTIME_DEVICE_PASSTIMES_H
