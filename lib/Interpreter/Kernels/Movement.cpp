// SPDX-License-Identifier: Apache-2.0

#include "Movement.h"

#include "shardsmith/Support/Quantity.h"

#include <cstring>

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

/// Copies a box between two strided buffers. The innermost dimension is a
/// plain loop; the outer ones are an odometer over both offsets.
template <typename T>
void copyBox(const T *source, ArrayRef<int64_t> sourceStrides, T *target,
             ArrayRef<int64_t> targetStrides, ArrayRef<int64_t> shape) {
  if (elementCount(shape) == 0)
    return;
  if (shape.empty()) {
    *target = *source;
    return;
  }
  const ArrayRef<int64_t> outer = shape.drop_back();
  const int64_t length = shape.back();
  const int64_t sourceStep = sourceStrides.back();
  const int64_t targetStep = targetStrides.back();
  Shape position(outer.size(), 0);
  do {
    int64_t from = 0, to = 0;
    for (size_t dim = 0; dim < outer.size(); ++dim) {
      from += position[dim] * sourceStrides[dim];
      to += position[dim] * targetStrides[dim];
    }
    if (sourceStep == 1 && targetStep == 1)
      std::memcpy(target + to, source + from, length * sizeof(T));
    else
      for (int64_t i = 0; i < length; ++i)
        target[to + i * targetStep] = source[from + i * sourceStep];
  } while (advance(position, outer));
}

Shape clampedStarts(ArrayRef<int64_t> starts, ArrayRef<int64_t> shape,
                    ArrayRef<int64_t> sizes) {
  Shape result;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    result.push_back(
        std::clamp<int64_t>(starts[dim], 0, shape[dim] - sizes[dim]));
  return result;
}

int64_t dotProduct(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

} // namespace

bool advance(MutableArrayRef<int64_t> position, ArrayRef<int64_t> shape) {
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0; --dim) {
    if (++position[dim] < shape[dim])
      return true;
    position[dim] = 0;
  }
  return false;
}

void moveBox(const Tensor &source, const StridedBox &sourceBox, Tensor &target,
             const StridedBox &targetBox, ArrayRef<int64_t> shape) {
  const int64_t sourceOffset = source.isSplat() ? 0 : sourceBox.offset;
  const Shape sourceStrides =
      source.isSplat() ? Shape(shape.size(), 0) : sourceBox.strides;
  dispatchWidth(target.type(), [&]<typename T>(Tag<T>) {
    copyBox<T>(source.data<T>() + sourceOffset, sourceStrides,
               target.mutableData<T>() + targetBox.offset, targetBox.strides,
               shape);
  });
}

Tensor readBox(const Tensor &a, const StridedBox &box,
               ArrayRef<int64_t> resultShape) {
  if (a.isSplat() && a.size() != 0)
    return Tensor::splat(a.type(), resultShape, a.bytes());
  Tensor result = Tensor::uninitialized(a.type(), resultShape);
  moveBox(a, box, result, {0, rowMajorStrides(resultShape)}, resultShape);
  return result;
}

void writeBox(Tensor &target, const StridedBox &box, const Tensor &source) {
  moveBox(source, {0, rowMajorStrides(source.shape())}, target, box,
          source.shape());
}

Tensor broadcastInDim(const Tensor &a, ArrayRef<int64_t> dims,
                      ArrayRef<int64_t> resultShape) {
  if (a.size() == 1)
    return Tensor::splat(a.type(), resultShape, a.bytes());
  const Shape strides = rowMajorStrides(a.shape());
  StridedBox box{0, Shape(resultShape.size(), 0)};
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (a.dim(dim) != 1)
      box.strides[dims[dim]] = strides[dim];
  return readBox(a, box, resultShape);
}

Tensor transpose(const Tensor &a, ArrayRef<int64_t> permutation) {
  const Shape strides = rowMajorStrides(a.shape());
  StridedBox box;
  Shape resultShape;
  bool isIdentity = true;
  for (size_t dim = 0; dim < permutation.size(); ++dim) {
    box.strides.push_back(strides[permutation[dim]]);
    resultShape.push_back(a.dim(permutation[dim]));
    isIdentity &= permutation[dim] == static_cast<int64_t>(dim);
  }
  return isIdentity ? a : readBox(a, box, resultShape);
}

Tensor reverse(const Tensor &a, ArrayRef<int64_t> dims) {
  StridedBox box{0, rowMajorStrides(a.shape())};
  for (int64_t dim : dims) {
    box.offset += (a.dim(dim) - 1) * box.strides[dim];
    box.strides[dim] = -box.strides[dim];
  }
  return readBox(a, box, a.shape());
}

Tensor slice(const Tensor &a, ArrayRef<int64_t> starts,
             ArrayRef<int64_t> limits, ArrayRef<int64_t> strides) {
  StridedBox box{0, rowMajorStrides(a.shape())};
  Shape resultShape;
  for (size_t dim = 0; dim < starts.size(); ++dim) {
    box.offset += starts[dim] * box.strides[dim];
    box.strides[dim] *= strides[dim];
    resultShape.push_back(ceilDivide(limits[dim] - starts[dim], strides[dim]));
  }
  return readBox(a, box, resultShape);
}

Tensor dynamicSlice(const Tensor &a, ArrayRef<int64_t> starts,
                    ArrayRef<int64_t> sizes) {
  StridedBox box{0, rowMajorStrides(a.shape())};
  box.offset = dotProduct(clampedStarts(starts, a.shape(), sizes), box.strides);
  return readBox(a, box, sizes);
}

Tensor dynamicUpdateSlice(const Tensor &a, const Tensor &update,
                          ArrayRef<int64_t> starts) {
  StridedBox box{0, rowMajorStrides(a.shape())};
  box.offset =
      dotProduct(clampedStarts(starts, a.shape(), update.shape()), box.strides);
  Tensor result = a.denseCopy();
  writeBox(result, box, update);
  return result;
}

Tensor pad(const Tensor &a, const Tensor &padding, ArrayRef<int64_t> low,
           ArrayRef<int64_t> interior, ArrayRef<int64_t> resultShape) {
  // Element i of a dimension goes to low + i * (interior + 1); those that land
  // inside the result are a contiguous range [first, last).
  Tensor result =
      Tensor::splat(a.type(), resultShape, padding.bytes()).denseCopy();
  StridedBox box{0, rowMajorStrides(resultShape)};
  Shape first, last, ones(a.rank(), 1);
  for (int64_t dim = 0; dim < a.rank(); ++dim) {
    const int64_t step = interior[dim] + 1;
    first.push_back(
        std::min(a.dim(dim), low[dim] < 0 ? ceilDivide(-low[dim], step) : 0));
    const int64_t room = resultShape[dim] - low[dim];
    last.push_back(std::clamp<int64_t>(room > 0 ? ceilDivide(room, step) : 0,
                                       first[dim], a.dim(dim)));
    box.offset += (low[dim] + first[dim] * step) * box.strides[dim];
    box.strides[dim] *= step;
  }
  writeBox(result, box, slice(a, first, last, ones));
  return result;
}

Tensor concatenate(ArrayRef<Tensor> parts, int64_t dim) {
  Shape resultShape(parts.front().shape());
  resultShape[dim] = 0;
  for (const Tensor &part : parts)
    resultShape[dim] += part.dim(dim);
  Tensor result = Tensor::uninitialized(parts.front().type(), resultShape);
  StridedBox box{0, rowMajorStrides(resultShape)};
  for (const Tensor &part : parts) {
    writeBox(result, box, part);
    box.offset += part.dim(dim) * box.strides[dim];
  }
  return result;
}

Tensor equalPart(const Tensor &a, int64_t dim, int64_t index, int64_t count) {
  Shape starts(a.rank(), 0), limits(a.shape()), ones(a.rank(), 1);
  const int64_t size = a.dim(dim) / count;
  starts[dim] = index * size;
  limits[dim] = starts[dim] + size;
  return slice(a, starts, limits, ones);
}

Tensor iota(ElementType type, ArrayRef<int64_t> shape, int64_t dim) {
  Shape lineShape(shape.size(), 1);
  lineShape[dim] = shape[dim];
  Tensor line = Tensor::uninitialized(type, lineShape);
  dispatchStored(type, [&]<typename T>(Tag<T>) {
    T *out = line.mutableData<T>();
    for (int64_t i = 0; i < shape[dim]; ++i) {
      if constexpr (isReducedFloat<T>)
        out[i] = static_cast<T>(static_cast<double>(i));
      else
        out[i] = static_cast<T>(i);
    }
  });
  Shape dims;
  for (size_t d = 0; d < shape.size(); ++d)
    dims.push_back(d);
  return broadcastInDim(line, dims, shape);
}

Tensor bitcast(const Tensor &a, ElementType type, ArrayRef<int64_t> shape) {
  const bool packs = valueBits(a.type()) != valueBits(type);
  if (packs && (valueBits(a.type()) < 8 || valueBits(type) < 8))
    return Tensor();
  Tensor source = a.dense();
  Tensor result = Tensor::uninitialized(type, shape);
  std::memcpy(result.mutableData<std::byte>(), source.bytes(),
              source.denseBytes());
  return result;
}

} // namespace shardsmith::inline interpreter
