// SPDX-License-Identifier: Apache-2.0

#include "Reduction.h"

#include "Elementwise.h"
#include "Movement.h"

#include "shardsmith/Interpreter/TensorMemory.h"

#include "llvm/ADT/STLExtras.h"

#include <vector>

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

/// What a fold over elements of type `T` is kept in.
template <BinaryKind kind, typename T>
using Accumulator =
    std::conditional_t<isFloatElement<T> && (kind == BinaryKind::Add ||
                                             kind == BinaryKind::Multiply),
                       double, T>;

/// Booleans must not live in std::vector<bool>.
template <typename T>
using Cell = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

template <BinaryKind kind, typename T>
Tensor reduceTyped(const Tensor &a, const Tensor &init, ArrayRef<int64_t> dims,
                   ArrayRef<int64_t> resultShape) {
  using Sum = Accumulator<kind, T>;
  const int64_t resultSize = elementCount(resultShape);
  TensorVector<Cell<Sum>> sums(resultSize, static_cast<Sum>(*init.data<T>()));

  // Where an input element goes: reduced dimensions do not move the target.
  Shape targetStrides(a.rank(), 0);
  int64_t stride = 1;
  for (int64_t dim = a.rank() - 1; dim >= 0; --dim)
    if (!is_contained(dims, dim)) {
      targetStrides[dim] = stride;
      stride *= a.dim(dim);
    }

  const T *in = a.data<T>();
  const int64_t length = a.rank() == 0 ? 1 : a.shape().back();
  const int64_t step = a.rank() == 0 ? 0 : targetStrides.back();
  const ArrayRef<int64_t> outer =
      a.rank() == 0 ? a.shape() : a.shape().drop_back();
  Shape position(outer.size(), 0);
  if (a.size() != 0)
    do {
      int64_t target = 0;
      for (size_t dim = 0; dim < outer.size(); ++dim)
        target += position[dim] * targetStrides[dim];
      for (int64_t i = 0; i < length; ++i) {
        Cell<Sum> &sum = sums[target + i * step];
        sum = applyBinary<kind, Sum>(static_cast<Sum>(sum),
                                     static_cast<Sum>(*in++));
      }
    } while (advance(position, outer));

  Tensor result = Tensor::uninitialized(a.type(), resultShape);
  T *out = result.mutableData<T>();
  for (int64_t i = 0; i < resultSize; ++i)
    out[i] = static_cast<T>(sums[i]);
  return result;
}

template <BinaryKind kind, typename T>
Tensor reduceAcrossTyped(ArrayRef<Tensor> parts) {
  using Sum = Accumulator<kind, T>;
  const Tensor &first = parts.front();
  Tensor result = Tensor::uninitialized(first.type(), first.shape());
  T *out = result.mutableData<T>();
  SmallVector<Tensor> dense;
  for (const Tensor &part : parts)
    dense.push_back(part.dense());
  for (int64_t i = 0; i < first.size(); ++i) {
    Sum sum = static_cast<Sum>(dense.front().data<T>()[i]);
    for (const Tensor &part : ArrayRef<Tensor>(dense).drop_front())
      sum = applyBinary<kind, Sum>(sum, static_cast<Sum>(part.data<T>()[i]));
    out[i] = static_cast<T>(sum);
  }
  return result;
}

} // namespace

bool isFoldDefined(BinaryKind kind, ElementType type) {
  return isFold(kind) && isBinaryDefined(kind, type);
}

Tensor reduce(BinaryKind kind, const Tensor &a, const Tensor &init,
              ArrayRef<int64_t> dims) {
  if (const ElementType type = a.type(); isNarrow(type))
    return convert(reduce(kind, convert(a, widened(type)),
                          convert(init, widened(type)), dims),
                   type);
  Shape resultShape;
  for (int64_t dim = 0; dim < a.rank(); ++dim)
    if (!is_contained(dims, dim))
      resultShape.push_back(a.dim(dim));
  const Tensor dense = a.dense();
  return dispatchBinary(kind, [&](auto kindTag) {
    constexpr BinaryKind fixed = decltype(kindTag)::value;
    return dispatchArithmetic(a.type(), [&]<typename T>(Tag<T>) -> Tensor {
      if constexpr (isFold(fixed) && isBinaryDefined<fixed, T>())
        return reduceTyped<fixed, T>(dense, init, dims, resultShape);
      return Tensor();
    });
  });
}

Tensor reduceAcross(BinaryKind kind, ArrayRef<Tensor> parts) {
  if (const ElementType type = parts.front().type(); isNarrow(type)) {
    SmallVector<Tensor> wide;
    for (const Tensor &part : parts)
      wide.push_back(convert(part, widened(type)));
    return convert(reduceAcross(kind, wide), type);
  }
  return dispatchBinary(kind, [&](auto kindTag) {
    constexpr BinaryKind fixed = decltype(kindTag)::value;
    return dispatchArithmetic(
        parts.front().type(), [&]<typename T>(Tag<T>) -> Tensor {
          if constexpr (isFold(fixed) && isBinaryDefined<fixed, T>())
            return reduceAcrossTyped<fixed, T>(parts);
          return Tensor();
        });
  });
}

} // namespace shardsmith::inline interpreter
