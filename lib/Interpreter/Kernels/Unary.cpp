// SPDX-License-Identifier: Apache-2.0

#include "Elementwise.h"
#include "Map.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace shardsmith::inline interpreter {
namespace {

template <typename T> T signOfElement(T value) {
  if constexpr (isFloatElement<T>) {
    auto wide = static_cast<Computed<T>>(value);
    if (std::isnan(wide) || wide == 0)
      return value;
    return static_cast<T>(Computed<T>(wide > 0 ? 1 : -1));
  } else {
    return static_cast<T>((value > T(0)) - (value < T(0)));
  }
}

template <typename T> T absoluteElement(T value) {
  if constexpr (isFloatElement<T>)
    return static_cast<T>(std::fabs(static_cast<Computed<T>>(value)));
  else if constexpr (std::is_signed_v<T>)
    return value < 0 ? applyBinary<BinaryKind::Subtract, T>(T(0), value)
                     : value;
  else
    return value;
}

/// Rounds `value` to `exponentBits` and `mantissaBits`, ties to even, through
/// the bits of a double: first the mantissa, then the range.
double roundToFormat(double value, unsigned exponentBits,
                     unsigned mantissaBits) {
  if (!std::isfinite(value))
    return value;
  uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t sign = bits & (uint64_t(1) << 63);
  if (mantissaBits < 52) {
    const unsigned dropped = 52 - mantissaBits;
    const uint64_t lastKept = (bits >> dropped) & 1;
    bits += (uint64_t(1) << (dropped - 1)) - 1 + lastKept;
    bits &= ~((uint64_t(1) << dropped) - 1);
  }
  const int64_t bias = (int64_t(1) << (exponentBits - 1)) - 1;
  const int64_t exponent = static_cast<int64_t>((bits >> 52) & 0x7ff) - 1023;
  if (exponent > bias)
    bits = sign | std::bit_cast<uint64_t>(HUGE_VAL);
  else if (exponent <= -bias)
    bits = sign; // Below the smallest normal value: flushed to zero.
  return std::bit_cast<double>(bits);
}

/// Calls the kernel on the widened tensor and narrows the result again.
template <typename Kernel>
Tensor throughWidened(const Tensor &a, Kernel kernel) {
  return convert(kernel(convert(a, widened(a.type()))), a.type());
}

} // namespace

Tensor applyReal(RealFunction function, const Tensor &a) {
  if (isNarrow(a.type()))
    return throughWidened(
        a, [&](const Tensor &wide) { return applyReal(function, wide); });
  return dispatchFloat(a.type(), [&]<typename T>(Tag<T>) {
    return mapElements<T, T>(a.type(), a, [function](T value) {
      return static_cast<T>(function(static_cast<double>(value)));
    });
  });
}

Tensor applyReal(RealFunctionOfTwo function, const Tensor &a, const Tensor &b) {
  if (isNarrow(a.type()))
    return convert(applyReal(function, convert(a, widened(a.type())),
                             convert(b, widened(b.type()))),
                   a.type());
  return dispatchFloat(a.type(), [&]<typename T>(Tag<T>) {
    return mapElements<T, T>(a.type(), a, b, [function](T left, T right) {
      return static_cast<T>(
          function(static_cast<double>(left), static_cast<double>(right)));
    });
  });
}

Tensor absolute(const Tensor &a) {
  if (isNarrow(a.type()))
    return throughWidened(a, absolute);
  return dispatchArithmetic(a.type(), [&]<typename T>(Tag<T>) {
    return mapElements<T, T>(a.type(), a, absoluteElement<T>);
  });
}

Tensor negate(const Tensor &a) {
  if (isNarrow(a.type()))
    return throughWidened(a, negate);
  return dispatchArithmetic(a.type(), [&]<typename T>(Tag<T>) -> Tensor {
    return mapElements<T, T>(a.type(), a, [](T value) {
      if constexpr (isFloatElement<T>)
        return static_cast<T>(-static_cast<Computed<T>>(value));
      else
        return static_cast<T>(-static_cast<uint64_t>(value));
    });
  });
}

Tensor signOf(const Tensor &a) {
  if (isNarrow(a.type()))
    return throughWidened(a, signOf);
  return dispatchArithmetic(a.type(), [&]<typename T>(Tag<T>) {
    return mapElements<T, T>(a.type(), a, signOfElement<T>);
  });
}

Tensor bitwiseNot(const Tensor &a) {
  if (isNarrow(a.type()))
    return throughWidened(a, bitwiseNot);
  return dispatchArithmetic(a.type(), [&]<typename T>(Tag<T>) -> Tensor {
    if constexpr (std::is_same_v<T, bool>)
      return mapElements<T, T>(a.type(), a, [](T value) { return !value; });
    else if constexpr (std::is_integral_v<T>)
      return mapElements<T, T>(a.type(), a,
                               [](T value) { return static_cast<T>(~value); });
    return Tensor();
  });
}

Tensor countOnes(const Tensor &a) {
  const unsigned bits = valueBits(a.type());
  return dispatchStored(a.type(), [&]<typename T>(Tag<T>) -> Tensor {
    if constexpr (std::is_integral_v<T>)
      return mapElements<T, T>(a.type(), a, [bits](T value) {
        uint64_t kept = static_cast<uint64_t>(value) << (64 - bits);
        return static_cast<T>(std::popcount(kept));
      });
    return Tensor();
  });
}

Tensor countLeadingZeros(const Tensor &a) {
  const unsigned bits = valueBits(a.type());
  return dispatchStored(a.type(), [&]<typename T>(Tag<T>) -> Tensor {
    if constexpr (std::is_integral_v<T>)
      return mapElements<T, T>(a.type(), a, [bits](T value) {
        uint64_t kept = static_cast<uint64_t>(value) << (64 - bits);
        return static_cast<T>(
            std::min<int>(std::countl_zero(kept), static_cast<int>(bits)));
      });
    return Tensor();
  });
}

Tensor isFinite(const Tensor &a) {
  return dispatchStored(a.type(), [&]<typename T>(Tag<T>) {
    return mapElements<T, bool>(ElementType::Bool, a, [](T value) {
      return std::isfinite(static_cast<double>(value));
    });
  });
}

Tensor isInfinite(const Tensor &a, bool positive, bool negative) {
  return dispatchStored(a.type(), [&]<typename T>(Tag<T>) {
    return mapElements<T, bool>(ElementType::Bool, a, [=](T value) {
      double wide = static_cast<double>(value);
      return std::isinf(wide) && (wide > 0 ? positive : negative);
    });
  });
}

Tensor reducePrecision(const Tensor &a, unsigned exponentBits,
                       unsigned mantissaBits) {
  return dispatchFloat(a.type(), [&]<typename T>(Tag<T>) {
    return mapElements<T, T>(a.type(), a, [=](T value) {
      return static_cast<T>(roundToFormat(static_cast<double>(value),
                                          exponentBits, mantissaBits));
    });
  });
}

Tensor nextAfter(const Tensor &a, const Tensor &b) {
  return dispatchFloat(a.type(), [&]<typename T>(Tag<T>) {
    return mapElements<T, T>(a.type(), a, b, [](T from, T to) -> T {
      if constexpr (std::is_floating_point_v<T>) {
        return std::nextafter(from, to);
      } else {
        const float start = from, goal = to;
        if (std::isnan(start) || std::isnan(goal))
          return static_cast<T>(std::nanf(""));
        if (start == goal)
          return to;
        T next;
        if (start == 0) { // The smallest subnormal of the sign of `to`.
          next.bits = goal > 0 ? 1 : 0x8001;
          return next;
        }
        const bool away = (goal > start) == (start > 0);
        next.bits = static_cast<uint16_t>(away ? from.bits + 1 : from.bits - 1);
        return next;
      }
    });
  });
}

} // namespace shardsmith::inline interpreter
