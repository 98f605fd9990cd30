// SPDX-License-Identifier: Apache-2.0
//
// The binary operations on single elements. Every rule that is not plain C++
// is written here once: integer arithmetic wraps around, division by zero and
// shifts beyond the width have values, NaN wins every minimum and maximum.

#ifndef SHARDSMITH_LIB_INTERPRETER_KERNELS_BINARYSCALARS_H
#define SHARDSMITH_LIB_INTERPRETER_KERNELS_BINARYSCALARS_H

#include "shardsmith/Interpreter/ElementType.h"

#include <cmath>
#include <concepts>
#include <limits>

namespace shardsmith::inline interpreter {

enum class BinaryKind {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Maximum,
  Minimum,
  Power,
  Atan2,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRightLogical,
  ShiftRightArithmetic,
};

/// The kinds that bodies of reductions are made of. Others are defined as
/// binary operations but make no sense as a fold.
constexpr bool isFold(BinaryKind kind) {
  return kind == BinaryKind::Add || kind == BinaryKind::Multiply ||
         kind == BinaryKind::Maximum || kind == BinaryKind::Minimum ||
         kind == BinaryKind::And || kind == BinaryKind::Or ||
         kind == BinaryKind::Xor;
}

/// Integers on which arithmetic is defined: not `bool`.
template <typename T>
concept IntegerElement = std::integral<T> && !std::same_as<T, bool>;

template <BinaryKind kind, typename T> constexpr bool isBinaryDefined() {
  switch (kind) {
  case BinaryKind::Add:
  case BinaryKind::Multiply:
  case BinaryKind::Maximum:
  case BinaryKind::Minimum:
    return true;
  case BinaryKind::Subtract:
  case BinaryKind::Divide:
  case BinaryKind::Remainder:
  case BinaryKind::Power:
    return !std::same_as<T, bool>;
  case BinaryKind::Atan2:
    return isFloatElement<T>;
  case BinaryKind::And:
  case BinaryKind::Or:
  case BinaryKind::Xor:
    return std::integral<T>;
  case BinaryKind::ShiftLeft:
  case BinaryKind::ShiftRightLogical:
  case BinaryKind::ShiftRightArithmetic:
    return IntegerElement<T>;
  }
  return false;
}

template <IntegerElement T> T divideIntegers(T a, T b) {
  if (b == 0)
    return static_cast<T>(-1);
  if constexpr (std::signed_integral<T>)
    if (b == -1)
      return static_cast<T>(-static_cast<std::make_unsigned_t<T>>(a));
  return static_cast<T>(a / b);
}

template <IntegerElement T> T remainderOfIntegers(T a, T b) {
  if (b == 0)
    return a;
  if constexpr (std::signed_integral<T>)
    if (b == -1)
      return 0;
  return static_cast<T>(a % b);
}

template <IntegerElement T> T powerOfIntegers(T base, T exponent) {
  if constexpr (std::signed_integral<T>)
    if (exponent < 0) {
      if (base == 1)
        return 1;
      if (base == -1)
        return exponent % 2 == 0 ? 1 : -1;
      return 0;
    }
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (uint64_t rest = static_cast<uint64_t>(exponent); rest; rest >>= 1) {
    if (rest & 1)
      result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

/// The larger value; NaN if either is, and +0 above -0.
template <std::floating_point T> T maximumOfFloats(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <std::floating_point T> T minimumOfFloats(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <BinaryKind kind, IntegerElement T> T applyToIntegers(T a, T b) {
  // Unsigned 64-bit arithmetic wraps; its low bits are right for every T.
  auto wide = [](T value) { return static_cast<uint64_t>(value); };
  constexpr unsigned bits = sizeof(T) * 8;
  const bool beyondWidth = static_cast<std::make_unsigned_t<T>>(b) >= bits;
  if constexpr (kind == BinaryKind::Add)
    return static_cast<T>(wide(a) + wide(b));
  else if constexpr (kind == BinaryKind::Subtract)
    return static_cast<T>(wide(a) - wide(b));
  else if constexpr (kind == BinaryKind::Multiply)
    return static_cast<T>(wide(a) * wide(b));
  else if constexpr (kind == BinaryKind::Divide)
    return divideIntegers(a, b);
  else if constexpr (kind == BinaryKind::Remainder)
    return remainderOfIntegers(a, b);
  else if constexpr (kind == BinaryKind::Maximum)
    return a > b ? a : b;
  else if constexpr (kind == BinaryKind::Minimum)
    return a < b ? a : b;
  else if constexpr (kind == BinaryKind::Power)
    return powerOfIntegers(a, b);
  else if constexpr (kind == BinaryKind::And)
    return static_cast<T>(a & b);
  else if constexpr (kind == BinaryKind::Or)
    return static_cast<T>(a | b);
  else if constexpr (kind == BinaryKind::Xor)
    return static_cast<T>(a ^ b);
  else if constexpr (kind == BinaryKind::ShiftLeft)
    return beyondWidth ? T(0) : static_cast<T>(wide(a) << b);
  else if constexpr (kind == BinaryKind::ShiftRightLogical)
    return beyondWidth
               ? T(0)
               : static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) >> b);
  else if constexpr (kind == BinaryKind::ShiftRightArithmetic) {
    auto asSigned = static_cast<std::make_signed_t<T>>(a);
    return static_cast<T>(asSigned >> (beyondWidth ? T(bits - 1) : b));
  }
}

template <BinaryKind kind, std::floating_point T> T applyToFloats(T a, T b) {
  if constexpr (kind == BinaryKind::Add)
    return a + b;
  else if constexpr (kind == BinaryKind::Subtract)
    return a - b;
  else if constexpr (kind == BinaryKind::Multiply)
    return a * b;
  else if constexpr (kind == BinaryKind::Divide)
    return a / b;
  else if constexpr (kind == BinaryKind::Remainder)
    return std::fmod(a, b);
  else if constexpr (kind == BinaryKind::Maximum)
    return maximumOfFloats(a, b);
  else if constexpr (kind == BinaryKind::Minimum)
    return minimumOfFloats(a, b);
  else if constexpr (kind == BinaryKind::Power)
    return static_cast<T>(
        std::pow(static_cast<double>(a), static_cast<double>(b)));
  else if constexpr (kind == BinaryKind::Atan2)
    return static_cast<T>(
        std::atan2(static_cast<double>(a), static_cast<double>(b)));
}

/// `a kind b`; reduced floats are computed in float32 and rounded.
template <BinaryKind kind, typename T>
  requires(isBinaryDefined<kind, T>())
T applyBinary(T a, T b) {
  if constexpr (std::same_as<T, bool>) {
    if constexpr (kind == BinaryKind::Add || kind == BinaryKind::Or ||
                  kind == BinaryKind::Maximum)
      return a || b;
    else if constexpr (kind == BinaryKind::Xor)
      return a != b;
    else
      return a && b;
  } else if constexpr (IntegerElement<T>) {
    return applyToIntegers<kind>(a, b);
  } else {
    return static_cast<T>(applyToFloats<kind>(static_cast<Computed<T>>(a),
                                              static_cast<Computed<T>>(b)));
  }
}

template <BinaryKind kind> struct KindTag {
  static constexpr BinaryKind value = kind;
};

/// Calls `callback(KindTag<kind>{})`.
template <typename Callback>
decltype(auto) dispatchBinary(BinaryKind kind, Callback &&callback) {
  switch (kind) {
#define SHARDSMITH_CASE(NAME)                                                  \
  case BinaryKind::NAME:                                                       \
    return callback(KindTag<BinaryKind::NAME>{});
    SHARDSMITH_CASE(Add)
    SHARDSMITH_CASE(Subtract)
    SHARDSMITH_CASE(Multiply)
    SHARDSMITH_CASE(Divide)
    SHARDSMITH_CASE(Remainder)
    SHARDSMITH_CASE(Maximum)
    SHARDSMITH_CASE(Minimum)
    SHARDSMITH_CASE(Power)
    SHARDSMITH_CASE(Atan2)
    SHARDSMITH_CASE(And)
    SHARDSMITH_CASE(Or)
    SHARDSMITH_CASE(Xor)
    SHARDSMITH_CASE(ShiftLeft)
    SHARDSMITH_CASE(ShiftRightLogical)
    SHARDSMITH_CASE(ShiftRightArithmetic)
#undef SHARDSMITH_CASE
  }
  __builtin_unreachable();
}

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_KERNELS_BINARYSCALARS_H
