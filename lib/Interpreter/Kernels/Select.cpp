// SPDX-License-Identifier: Apache-2.0

#include "Elementwise.h"
#include "Map.h"

#include <bit>

namespace shardsmith::inline interpreter {
namespace {

/// Integers that order as the floats do in the total order.
int64_t totalOrderKey(double value) {
  auto bits = std::bit_cast<int64_t>(value);
  return bits < 0 ? ~bits ^ std::numeric_limits<int64_t>::min() : bits;
}

template <typename T, typename Key>
Tensor compareKeys(Comparison direction, const Tensor &a, const Tensor &b,
                   Key key) {
  auto run = [&](auto relation) {
    return mapElements<T, bool>(ElementType::Bool, a, b, [=](T left, T right) {
      return relation(key(left), key(right));
    });
  };
  switch (direction) {
  case Comparison::EQ:
    return run([](auto x, auto y) { return x == y; });
  case Comparison::NE:
    return run([](auto x, auto y) { return x != y; });
  case Comparison::GE:
    return run([](auto x, auto y) { return x >= y; });
  case Comparison::GT:
    return run([](auto x, auto y) { return x > y; });
  case Comparison::LE:
    return run([](auto x, auto y) { return x <= y; });
  case Comparison::LT:
    return run([](auto x, auto y) { return x < y; });
  }
  __builtin_unreachable();
}

Tensor broadcastScalar(const Tensor &a, llvm::ArrayRef<int64_t> shape) {
  return a.rank() == 0 && !shape.empty()
             ? Tensor::splat(a.type(), shape, a.bytes())
             : a;
}

} // namespace

Tensor compare(Comparison direction, bool totalOrder, const Tensor &a,
               const Tensor &b) {
  return dispatchStored(a.type(), [&]<typename T>(Tag<T>) {
    if constexpr (isFloatElement<T>) {
      if (totalOrder)
        return compareKeys<T>(direction, a, b, [](T value) {
          return totalOrderKey(static_cast<double>(value));
        });
    }
    return compareKeys<T>(direction, a, b, [](T value) {
      return static_cast<Computed<T>>(value);
    });
  });
}

Tensor select(const Tensor &predicate, const Tensor &onTrue,
              const Tensor &onFalse) {
  if (predicate.rank() == 0 || predicate.isSplat())
    return *predicate.data<bool>() ? onTrue : onFalse;
  return dispatchWidth(onTrue.type(), [&]<typename T>(Tag<T>) {
    Tensor result = Tensor::uninitialized(onTrue.type(), onTrue.shape());
    const bool *chosen = predicate.data<bool>();
    const T *left = onTrue.data<T>();
    const T *right = onFalse.data<T>();
    const int64_t leftStep = onTrue.isSplat() ? 0 : 1;
    const int64_t rightStep = onFalse.isSplat() ? 0 : 1;
    T *out = result.mutableData<T>();
    for (int64_t i = 0, size = result.size(); i < size; ++i)
      out[i] = chosen[i] ? left[i * leftStep] : right[i * rightStep];
    return result;
  });
}

Tensor clamp(const Tensor &low, const Tensor &a, const Tensor &high) {
  Tensor raised =
      applyBinary(BinaryKind::Maximum, broadcastScalar(low, a.shape()), a);
  return applyBinary(BinaryKind::Minimum, raised,
                     broadcastScalar(high, a.shape()));
}

} // namespace shardsmith::inline interpreter
