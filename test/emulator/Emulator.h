// SPDX-License-Identifier: Apache-2.0
//
// Runs device functions on the processor, thread by thread, and checks what a
// device does not:
//
//   bounds          every access lies in its buffer and is aligned
//   initialisation  nothing is read that was not written, or given, before
//   races           of two threads that touch an element, one of them writing,
//                   a barrier orders the two (or, within a warp, a shuffle);
//                   threads of different blocks are never ordered
//   convergence     all threads of a block come to the same barrier, all of a
//                   warp to the same shuffle or matrix instruction
//
// Threads run one at a time from one of these to the next, in an order drawn
// anew each time; so do blocks.

#ifndef SHARDSMITH_TEST_EMULATOR_EMULATOR_H
#define SHARDSMITH_TEST_EMULATOR_EMULATOR_H

#include "DeviceProgram.h"

#include <random>

namespace shardsmith::emulator {

/// Memory of the device with the size of one tensor.
struct DeviceBuffer {
  /// Memory of its own, in which every access is checked.
  DeviceBuffer(int64_t elements, int64_t elementBytes);
  /// Memory that is there already: of initialisation and races nothing is
  /// known.
  DeviceBuffer(std::byte *memory, int64_t elements, int64_t elementBytes)
      : elements(elements), elementBytes(elementBytes), memory(memory) {}
  DeviceBuffer(DeviceBuffer &&) = default;

  /// Fills the buffer with a tensor's bytes; it is initialised then.
  void fill(const void *contents);

  int64_t elements, elementBytes;
  std::vector<std::byte> bytes; ///< its own
  std::byte *memory;

  /// Who has touched an element last, and when. A time is the number of
  /// barriers of the block and of meetings of the warp so far.
  struct Moment {
    int64_t block = -1, thread = -1, barriers = -1, meetings = -1;
  };
  struct Access {
    bool isInitialized = false;
    Moment write;
    /// Reads since the last barrier of the block that has read last: one per
    /// warp, the latest, and whether other threads of the warp read then, too.
    struct Read {
      Moment moment;
      bool byOthers = false;
    };
    std::vector<Read> reads;
    /// Blocks before that one have read, too.
    bool byOtherBlocks = false;
  };
  std::vector<Access> accesses;
};

/// Memory moves in these.
inline constexpr int64_t sectorBytes = 32;

/// Runs a function on buffers, one per argument; two arguments may have the
/// same buffer. Returns what went wrong first, or nothing. `sectors` gets how
/// many sectors of arguments blocks touch: those that are read and those that
/// are written, each once per block and argument.
std::string run(const DeviceProgram &program,
                llvm::ArrayRef<DeviceBuffer *> arguments,
                std::mt19937_64 &random, int64_t *sectors = nullptr);

} // namespace shardsmith::emulator

#endif // SHARDSMITH_TEST_EMULATOR_EMULATOR_H
