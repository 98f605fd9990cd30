// SPDX-License-Identifier: Apache-2.0
//
// An open file that closes itself.

#ifndef SHARDSMITH_LIB_RUNTIME_FILEDESCRIPTOR_H
#define SHARDSMITH_LIB_RUNTIME_FILEDESCRIPTOR_H

#include <utility>

#include <unistd.h>

namespace shardsmith::runtime {

class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number(number) {}
  FileDescriptor(FileDescriptor &&other) noexcept
      : number(std::exchange(other.number, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~FileDescriptor() {
    if (number >= 0)
      close(number);
  }

  bool isOpen() const { return number >= 0; }
  int get() const { return number; }

private:
  int number = -1;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_FILEDESCRIPTOR_H
