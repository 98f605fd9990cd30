// SPDX-License-Identifier: Apache-2.0
//
// How a search is told that somebody wants it to end. The library handles no
// signals: a program that does sets the flag (tools/shardsmith).

#ifndef SHARDSMITH_DRIVER_INTERRUPT_H
#define SHARDSMITH_DRIVER_INTERRUPT_H

#include <atomic>

namespace shardsmith {

/// While one lives somebody looks at the flag.
class InterruptFlag {
public:
  InterruptFlag();
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag &) = delete;
  InterruptFlag &operator=(const InterruptFlag &) = delete;

  const std::atomic<bool> *flag() const;

  /// Sets the flag if one lives, and it is not set yet; returns whether it did.
  /// May be called by a signal handler.
  static bool set();
  /// Whether the flag was set while one lived.
  static bool wasSet();
};

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_INTERRUPT_H
