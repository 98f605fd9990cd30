// SPDX-License-Identifier: Apache-2.0
//
// SIGINT, SIGTERM and SIGHUP, from before `main` to the end of the process:
//
//   while an InterruptFlag lives   the first one sets the flag, and the search
//                                  that looks at it ends with its best plan so
//                                  far; the next one is as below
//   at any other time              temporary files are removed and the process
//                                  ends at once
//
// Either way the exit code is 124. A signal that the process inherited as
// ignored, as under nohup, stays ignored.

#ifndef SHARDSMITH_TOOLS_SHARDSMITH_INTERRUPT_H
#define SHARDSMITH_TOOLS_SHARDSMITH_INTERRUPT_H

#include <atomic>

namespace shardsmith {

class InterruptFlag {
public:
  InterruptFlag();
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag &) = delete;
  InterruptFlag &operator=(const InterruptFlag &) = delete;

  const std::atomic<bool> *flag() const;

  /// Whether a signal came while one lived.
  static bool wasSet();
};

} // namespace shardsmith

#endif // SHARDSMITH_TOOLS_SHARDSMITH_INTERRUPT_H
