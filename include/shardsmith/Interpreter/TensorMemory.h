// SPDX-License-Identifier: Apache-2.0
//
// Memory whose size follows from the sizes of tensors, which files may state as
// they like. All of it is taken here and counted: what would not fit the
// machine is an exception, not an allocation that the kernel grants and then
// ends the process for.

#ifndef SHARDSMITH_INTERPRETER_TENSORMEMORY_H
#define SHARDSMITH_INTERPRETER_TENSORMEMORY_H

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <vector>

namespace shardsmith::inline interpreter {

/// The machine lacks the memory: exit code 6.
class OutOfMemory : public std::bad_alloc {
public:
  explicit OutOfMemory(int64_t bytes);
  const char *what() const noexcept override { return message.c_str(); }

  /// Whether a diagnostic at the op that needed the memory has said it.
  bool isReported = false;

private:
  std::string message;
};

/// Throws OutOfMemory if the tensors that live and these bytes would need more
/// than was free when the first one was made.
std::byte *takeTensorMemory(int64_t bytes);
void returnTensorMemory(std::byte *memory, int64_t bytes) noexcept;

/// For containers that grow with tensors.
template <typename T> struct TensorAllocator {
  using value_type = T;
  TensorAllocator() = default;
  template <typename U> TensorAllocator(const TensorAllocator<U> &) {}

  T *allocate(size_t count) {
    int64_t bytes = 0;
    if (__builtin_mul_overflow(count, sizeof(T), &bytes))
      throw OutOfMemory(INT64_MAX);
    return reinterpret_cast<T *>(takeTensorMemory(bytes));
  }
  void deallocate(T *memory, size_t count) noexcept {
    returnTensorMemory(reinterpret_cast<std::byte *>(memory),
                       static_cast<int64_t>(count * sizeof(T)));
  }
  bool operator==(const TensorAllocator &) const = default;
};

template <typename T> using TensorVector = std::vector<T, TensorAllocator<T>>;

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_INTERPRETER_TENSORMEMORY_H
