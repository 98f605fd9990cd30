// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interpreter/TensorMemory.h"

#include "shardsmith/Support/Gibibytes.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <limits>

namespace shardsmith::inline interpreter {
namespace {

std::atomic<int64_t> takenBytes = 0;

/// Bytes that the kernel could give us, and a container's limit.
int64_t availableBytes() {
  int64_t available = std::numeric_limits<int64_t>::max();
  std::ifstream meminfo("/proc/meminfo");
  for (std::string word; meminfo >> word;)
    if (int64_t kibibytes = 0; word == "MemAvailable:" && meminfo >> kibibytes)
      available = kibibytes * 1024;
  std::ifstream limit("/sys/fs/cgroup/memory.max"); // a number, or "max"
  if (int64_t bytes = 0; limit >> bytes)
    available = std::min(available, bytes);
  return available;
}

int64_t memoryLimit() {
  static const int64_t bytes = availableBytes();
  return bytes;
}

double gibibytes(int64_t bytes) { return gibOf(Bytes(bytes)); }

} // namespace

OutOfMemory::OutOfMemory(int64_t bytes)
    : message(fmt::format(
          "{:.3g} GiB more are needed for tensors, beside {:.3g}"
          " GiB that are in use; {:.3g} GiB were available",
          gibibytes(bytes), gibibytes(takenBytes), gibibytes(memoryLimit()))) {}

std::byte *takeTensorMemory(int64_t bytes) {
  int64_t limit = memoryLimit();
  // Never empty, so that a tensor without elements is not "no tensor".
  bytes = std::max<int64_t>(bytes, 1);
  if (bytes > limit)
    throw OutOfMemory(bytes);
  int64_t taken = takenBytes += bytes;
  if (taken > limit) {
    takenBytes -= bytes;
    throw OutOfMemory(bytes);
  }
  if (void *memory = std::malloc(static_cast<size_t>(bytes)))
    return static_cast<std::byte *>(memory);
  takenBytes -= bytes;
  throw OutOfMemory(bytes);
}

void returnTensorMemory(std::byte *memory, int64_t bytes) noexcept {
  if (!memory)
    return;
  takenBytes -= std::max<int64_t>(bytes, 1);
  std::free(memory);
}

} // namespace shardsmith::inline interpreter
