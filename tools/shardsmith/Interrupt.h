// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TOOLS_SHARDSMITH_INTERRUPT_H
#define SHARDSMITH_TOOLS_SHARDSMITH_INTERRUPT_H

#include <atomic>

namespace shardsmith {

/// While one lives, the first Ctrl-C sets the flag, and the second ends the
/// process.
class InterruptFlag {
public:
  InterruptFlag();
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag &) = delete;
  InterruptFlag &operator=(const InterruptFlag &) = delete;

  const std::atomic<bool> *flag() const;

  /// Whether Ctrl-C came while the last one lived.
  static bool wasSet();
};

} // namespace shardsmith

#endif // SHARDSMITH_TOOLS_SHARDSMITH_INTERRUPT_H
