// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_INTERPRETER_TENSOR_H
#define SHARDSMITH_INTERPRETER_TENSOR_H

#include "shardsmith/Interpreter/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <optional>

namespace shardsmith::inline interpreter {

using Shape = llvm::SmallVector<int64_t, 4>;

/// Number of elements, or nothing if it does not fit 64 bits.
std::optional<int64_t> checkedElementCount(llvm::ArrayRef<int64_t> shape);
/// Number of elements of a shape known to be sane.
int64_t elementCount(llvm::ArrayRef<int64_t> shape);
/// Row-major strides in elements.
Shape rowMajorStrides(llvm::ArrayRef<int64_t> shape);
/// "2x3xf32"
std::string describeType(ElementType type, llvm::ArrayRef<int64_t> shape);

/// A value of the interpreter: an element type, a static shape and elements in
/// row-major order.
///
/// Copies share their elements, so passing tensors by value is cheap. A tensor
/// is written only right after it was made, through `mutableData`, while no
/// copy of it exists.
///
/// A *splat* stores one element that stands for all. Kernels that do not care
/// call `dense` first; `data` of a splat is that one element.
class Tensor {
public:
  /// No tensor at all.
  Tensor() = default;
  explicit operator bool() const { return storage != nullptr; }

  /// Elements have unspecified content.
  static Tensor uninitialized(ElementType type, llvm::ArrayRef<int64_t> shape);
  /// All bytes zero: 0, 0.0 and false.
  static Tensor zeros(ElementType type, llvm::ArrayRef<int64_t> shape);
  /// Every element is a copy of the one at `element`.
  static Tensor splat(ElementType type, llvm::ArrayRef<int64_t> shape,
                      const void *element);
  /// A tensor with these elements; `T` must be how `type` is stored.
  template <typename T>
  static Tensor of(ElementType type, llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<T> elements) {
    Tensor tensor = uninitialized(type, shape);
    assert(tensor.size() == static_cast<int64_t>(elements.size()));
    std::copy(elements.begin(), elements.end(), tensor.mutableData<T>());
    return tensor;
  }
  template <typename T> static Tensor scalar(ElementType type, T element) {
    return of<T>(type, {}, llvm::ArrayRef<T>(element));
  }
  /// A splat of `value` rounded to `type`.
  static Tensor filled(ElementType type, llvm::ArrayRef<int64_t> shape,
                       double value);

  ElementType type() const { return elementType; }
  llvm::ArrayRef<int64_t> shape() const { return dimensions; }
  int64_t rank() const { return dimensions.size(); }
  int64_t dim(int64_t index) const { return dimensions[index]; }
  /// Number of elements.
  int64_t size() const { return elements; }
  bool isSplat() const { return splatted; }
  /// Bytes of all elements when dense.
  int64_t denseBytes() const { return elements * storageBytes(elementType); }

  /// The stored elements: `size()` of them, one for a splat.
  template <typename T> const T *data() const {
    return reinterpret_cast<const T *>(storage.get());
  }
  const std::byte *bytes() const { return storage.get(); }
  template <typename T> T *mutableData() {
    assert(storage.use_count() == 1 && "written tensors are not shared");
    return reinterpret_cast<T *>(storage.get());
  }

  /// The same value with every element stored.
  Tensor dense() const;
  /// A dense copy that nobody else refers to, for updates in place.
  Tensor denseCopy() const;
  /// The same elements under another shape of as many elements.
  Tensor reshaped(llvm::ArrayRef<int64_t> shape) const;

  /// Element at a row-major position, by value.
  double asDouble(int64_t position) const;
  /// The same for integers and booleans; floats are truncated. Unsigned values
  /// above the largest int64 come out as that.
  int64_t asInteger(int64_t position) const;
  /// A scalar tensor with one element of this tensor.
  Tensor element(int64_t position) const;
  /// Overwrites one element; for tensors that may be written.
  void setElement(int64_t position, const Tensor &scalar);

private:
  std::shared_ptr<std::byte[]> storage;
  Shape dimensions;
  int64_t elements = 0;
  ElementType elementType = ElementType::F32;
  bool splatted = false;
};

/// True if both have the same type, shape and bits.
bool isIdentical(const Tensor &a, const Tensor &b);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_INTERPRETER_TENSOR_H
