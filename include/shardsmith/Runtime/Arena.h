// SPDX-License-Identifier: Apache-2.0
//
// The one block of memory in which all tensors of a rank live.

#ifndef SHARDSMITH_RUNTIME_ARENA_H
#define SHARDSMITH_RUNTIME_ARENA_H

#include <cstdint>

namespace shardsmith::runtime {

/// Zero-filled pages, unmapped on destruction. Page-aligned, which is more
/// than the 64 bytes that kernels rely on.
class Mapping {
public:
  Mapping() = default;
  Mapping(Mapping &&other) noexcept;
  Mapping &operator=(Mapping &&other) noexcept;
  ~Mapping();

  /// Private memory, in huge pages where the system grants them.
  static Mapping anonymous(int64_t bytes);
  /// The first `bytes` bytes of a file, shared with all who map it.
  static Mapping ofFile(int file, int64_t bytes, bool writable);

  uint8_t *data() const { return static_cast<uint8_t *>(address); }
  int64_t size() const { return bytes; }
  bool contains(const void *pointer, int64_t length) const;

  /// Bytes of the pages among the first `length` bytes that somebody has
  /// touched.
  int64_t residentBytes(int64_t length) const;

private:
  Mapping(void *address, int64_t bytes) : address(address), bytes(bytes) {}

  void *address = nullptr;
  int64_t bytes = 0;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_ARENA_H
