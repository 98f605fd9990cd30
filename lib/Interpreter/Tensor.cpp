// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interpreter/Tensor.h"

#include "shardsmith/Interpreter/TensorMemory.h"
#include "shardsmith/Support/Quantity.h"

#include <cstring>
#include <limits>
#include <string>

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

std::shared_ptr<std::byte[]> allocate(int64_t bytes) {
  return std::shared_ptr<std::byte[]>(
      takeTensorMemory(bytes),
      [bytes](std::byte *memory) { returnTensorMemory(memory, bytes); });
}

} // namespace

std::optional<int64_t> checkedElementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    std::optional<int64_t> product = checkedMultiply(count, size);
    if (size < 0 || !product)
      return std::nullopt;
    count = *product;
  }
  return count;
}

int64_t elementCount(ArrayRef<int64_t> shape) {
  std::optional<int64_t> count = checkedElementCount(shape);
  assert(count && "shape was checked before");
  return *count;
}

Shape rowMajorStrides(ArrayRef<int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * shape[dim + 1];
  return strides;
}

std::string describeType(ElementType type, ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + elementTypeName(type).str();
}

Tensor Tensor::uninitialized(ElementType type, ArrayRef<int64_t> shape) {
  Tensor tensor;
  tensor.elementType = type;
  tensor.dimensions.assign(shape.begin(), shape.end());
  tensor.elements = elementCount(shape);
  tensor.storage = allocate(tensor.denseBytes());
  return tensor;
}

Tensor Tensor::zeros(ElementType type, ArrayRef<int64_t> shape) {
  const uint64_t zero = 0;
  return splat(type, shape, &zero);
}

Tensor Tensor::splat(ElementType type, ArrayRef<int64_t> shape,
                     const void *element) {
  Tensor tensor;
  tensor.elementType = type;
  tensor.dimensions.assign(shape.begin(), shape.end());
  tensor.elements = elementCount(shape);
  tensor.splatted = tensor.elements != 1;
  tensor.storage = allocate(storageBytes(type));
  std::memcpy(tensor.storage.get(), element, storageBytes(type));
  return tensor;
}

Tensor Tensor::filled(ElementType type, ArrayRef<int64_t> shape, double value) {
  return dispatchStored(type, [&]<typename T>(Tag<T>) {
    T element = static_cast<T>(value);
    return splat(type, shape, &element);
  });
}

Tensor Tensor::dense() const { return splatted ? denseCopy() : *this; }

Tensor Tensor::denseCopy() const {
  Tensor copy = uninitialized(elementType, dimensions);
  if (!splatted) {
    std::memcpy(copy.storage.get(), storage.get(), denseBytes());
    return copy;
  }
  dispatchWidth(elementType, [&]<typename T>(Tag<T>) {
    std::fill_n(copy.mutableData<T>(), elements, *data<T>());
  });
  return copy;
}

Tensor Tensor::reshaped(ArrayRef<int64_t> shape) const {
  assert(elementCount(shape) == elements && "reshape keeps the element count");
  Tensor tensor = *this;
  tensor.dimensions.assign(shape.begin(), shape.end());
  return tensor;
}

double Tensor::asDouble(int64_t position) const {
  return dispatchStored(elementType, [&]<typename T>(Tag<T>) {
    return static_cast<double>(data<T>()[splatted ? 0 : position]);
  });
}

int64_t Tensor::asInteger(int64_t position) const {
  return dispatchStored(elementType, [&]<typename T>(Tag<T>) -> int64_t {
    T element = data<T>()[splatted ? 0 : position];
    if constexpr (std::is_same_v<T, uint64_t>)
      return static_cast<int64_t>(
          std::min<uint64_t>(element, std::numeric_limits<int64_t>::max()));
    else
      return static_cast<int64_t>(element);
  });
}

Tensor Tensor::element(int64_t position) const {
  int64_t offset = splatted ? 0 : position * storageBytes(elementType);
  return splat(elementType, {}, storage.get() + offset);
}

void Tensor::setElement(int64_t position, const Tensor &scalar) {
  assert(!splatted && scalar.type() == elementType);
  const unsigned width = storageBytes(elementType);
  std::memcpy(mutableData<std::byte>() + position * width, scalar.bytes(),
              width);
}

bool isIdentical(const Tensor &a, const Tensor &b) {
  if (a.type() != b.type() || a.shape() != b.shape())
    return false;
  Tensor left = a.dense(), right = b.dense();
  return std::memcmp(left.bytes(), right.bytes(), left.denseBytes()) == 0;
}

} // namespace shardsmith::inline interpreter
