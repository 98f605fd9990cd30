// SPDX-License-Identifier: Apache-2.0
//
// Integers that know their unit. Bytes cannot be added to nanoseconds, and
// every operation reports overflow instead of wrapping: a plan for a machine
// with absurd sizes must fail, not come out cheap.

#ifndef SHARDSMITH_SUPPORT_QUANTITY_H
#define SHARDSMITH_SUPPORT_QUANTITY_H

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>

namespace shardsmith {

/// A signed 64-bit count of one unit. Arithmetic saturates at the largest
/// value, which therefore means "too much": it stays too much under further
/// additions, and `isSaturated` tells it from any real amount.
template <typename Unit> class Quantity {
public:
  constexpr Quantity() = default;
  explicit constexpr Quantity(int64_t count) : amount(count) {}

  static constexpr Quantity saturated() {
    return Quantity(std::numeric_limits<int64_t>::max());
  }
  constexpr bool isSaturated() const { return *this == saturated(); }

  /// The bare number, for printing and for formulas over several units.
  constexpr int64_t count() const { return amount; }

  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    int64_t sum;
    if (__builtin_add_overflow(a.amount, b.amount, &sum))
      return saturated();
    return Quantity(sum);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    if (a.isSaturated())
      return a;
    int64_t difference;
    if (__builtin_sub_overflow(a.amount, b.amount, &difference))
      return saturated();
    return Quantity(difference);
  }
  friend constexpr Quantity operator*(Quantity a, int64_t times) {
    int64_t product;
    if (__builtin_mul_overflow(a.amount, times, &product))
      return saturated();
    return Quantity(product);
  }
  Quantity &operator+=(Quantity other) { return *this = *this + other; }

  friend constexpr auto operator<=>(Quantity, Quantity) = default;

private:
  int64_t amount = 0;
};

using Bytes = Quantity<struct BytesUnit>;
using Nanoseconds = Quantity<struct NanosecondsUnit>;
/// Floating-point operations; a multiply-add counts as two.
using Flops = Quantity<struct FlopsUnit>;

/// `a * b`, or nothing when it does not fit 64 bits.
inline std::optional<int64_t> checkedMultiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return std::nullopt;
  return product;
}

/// Smallest multiple count `n` with `n * divisor >= value`, for positive
/// arguments.
constexpr int64_t ceilDivide(int64_t value, int64_t divisor) {
  return value / divisor + (value % divisor != 0);
}

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_QUANTITY_H
