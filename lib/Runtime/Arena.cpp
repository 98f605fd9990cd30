// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Arena.h"

#include "shardsmith/Runtime/Failure.h"

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace shardsmith::runtime {

Mapping::Mapping(Mapping &&other) noexcept
    : address(std::exchange(other.address, nullptr)),
      bytes(std::exchange(other.bytes, 0)) {}

Mapping &Mapping::operator=(Mapping &&other) noexcept {
  std::swap(address, other.address);
  std::swap(bytes, other.bytes);
  return *this;
}

Mapping::~Mapping() {
  if (address)
    munmap(address, static_cast<size_t>(bytes));
}

Mapping Mapping::anonymous(int64_t bytes) {
  bytes = std::max<int64_t>(bytes, 1);
  void *address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    fail(ExitCode::Environment, "cannot map {} bytes of memory: {}", bytes,
         describeError(errno));
  madvise(address, bytes, MADV_HUGEPAGE);
  return Mapping(address, bytes);
}

Mapping Mapping::ofFile(int file, int64_t bytes, bool writable) {
  int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  void *address = mmap(nullptr, std::max<int64_t>(bytes, 1), protection,
                       MAP_SHARED, file, 0);
  if (address == MAP_FAILED)
    fail(ExitCode::Environment, "cannot map {} bytes of a file: {}", bytes,
         describeError(errno));
  madvise(address, bytes, MADV_HUGEPAGE);
  return Mapping(address, std::max<int64_t>(bytes, 1));
}

bool Mapping::contains(const void *pointer, int64_t length) const {
  auto *start = static_cast<const uint8_t *>(pointer);
  return start >= data() && start + length <= data() + bytes;
}

int64_t Mapping::residentBytes(int64_t length) const {
  int64_t page = sysconf(_SC_PAGESIZE);
  length = std::min(length, bytes);
  std::vector<unsigned char> pages((length + page - 1) / page);
  if (!address ||
      mincore(address, static_cast<size_t>(length), pages.data()) != 0)
    return 0;
  int64_t resident = 0;
  for (unsigned char flags : pages)
    resident += flags & 1;
  return std::min(resident * page, length);
}

} // namespace shardsmith::runtime
