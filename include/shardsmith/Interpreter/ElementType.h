// SPDX-License-Identifier: Apache-2.0
//
// The element types a tensor of the interpreter can have.
//
// The interpreter has an inline namespace of its own, because its kernels have
// names that others may well use too: `transpose`, `slice`, `reduce`. Callers
// need not write it.

#ifndef SHARDSMITH_INTERPRETER_ELEMENTTYPE_H
#define SHARDSMITH_INTERPRETER_ELEMENTTYPE_H

#include "llvm/ADT/StringRef.h"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace shardsmith::inline interpreter {

/// Integers below eight bits are stored in one byte each, sign- or
/// zero-extended; booleans as one byte, 0 or 1.
enum class ElementType : uint8_t {
  Bool,
  I2,
  I4,
  I8,
  I16,
  I32,
  I64,
  U2,
  U4,
  U8,
  U16,
  U32,
  U64,
  F8E5M2,
  F8E4M3FN,
  BF16,
  F16,
  F32,
  F64,
};

/// Bytes one element takes in a tensor.
unsigned storageBytes(ElementType type);
/// Bits of the value itself: 1 for booleans, 4 for I4.
unsigned valueBits(ElementType type);
bool isFloat(ElementType type);
bool isSignedInteger(ElementType type);
bool isUnsignedInteger(ElementType type);
inline bool isInteger(ElementType type) {
  return isSignedInteger(type) || isUnsignedInteger(type);
}
/// True for the types that have to be widened before arithmetic: integers
/// below eight bits and eight-bit floats.
bool isNarrow(ElementType type);
/// The type arithmetic on a narrow type is done in; other types map to
/// themselves.
ElementType widened(ElementType type);
/// The name as in IR: "f32", "ui8", "i1".
llvm::StringRef elementTypeName(ElementType type);

/// The upper half of a float32.
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value);
  explicit BFloat16(double value);
  operator float() const {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

/// IEEE binary16.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float value) : Half(static_cast<double>(value)) {}
  explicit Half(double value);
  operator float() const;
};

/// Eight-bit float with 5 exponent bits and IEEE infinities.
struct Float8E5M2 {
  uint8_t bits = 0;
  Float8E5M2() = default;
  explicit Float8E5M2(double value);
  operator float() const;
};

/// Eight-bit float with 4 exponent bits, no infinities.
struct Float8E4M3FN {
  uint8_t bits = 0;
  Float8E4M3FN() = default;
  explicit Float8E4M3FN(double value);
  operator float() const;
};

template <typename T>
inline constexpr bool isReducedFloat =
    std::is_same_v<T, BFloat16> || std::is_same_v<T, Half> ||
    std::is_same_v<T, Float8E5M2> || std::is_same_v<T, Float8E4M3FN>;

template <typename T>
inline constexpr bool isFloatElement =
    std::is_floating_point_v<T> || isReducedFloat<T>;

/// The type that stands for `T` in C++ arithmetic.
template <typename T>
using Computed = std::conditional_t<isReducedFloat<T>, float, T>;

template <typename T> struct Tag {
  using type = T;
};

/// Calls `callback(Tag<T>{})` with the C++ type that stores `type`. Narrow
/// integers are seen as the bytes they are stored in.
template <typename Callback>
decltype(auto) dispatchStored(ElementType type, Callback &&callback) {
  switch (type) {
  case ElementType::Bool:
    return callback(Tag<bool>{});
  case ElementType::I2:
  case ElementType::I4:
  case ElementType::I8:
    return callback(Tag<int8_t>{});
  case ElementType::I16:
    return callback(Tag<int16_t>{});
  case ElementType::I32:
    return callback(Tag<int32_t>{});
  case ElementType::I64:
    return callback(Tag<int64_t>{});
  case ElementType::U2:
  case ElementType::U4:
  case ElementType::U8:
    return callback(Tag<uint8_t>{});
  case ElementType::U16:
    return callback(Tag<uint16_t>{});
  case ElementType::U32:
    return callback(Tag<uint32_t>{});
  case ElementType::U64:
    return callback(Tag<uint64_t>{});
  case ElementType::F8E5M2:
    return callback(Tag<Float8E5M2>{});
  case ElementType::F8E4M3FN:
    return callback(Tag<Float8E4M3FN>{});
  case ElementType::BF16:
    return callback(Tag<BFloat16>{});
  case ElementType::F16:
    return callback(Tag<Half>{});
  case ElementType::F32:
    return callback(Tag<float>{});
  case ElementType::F64:
    return callback(Tag<double>{});
  }
  __builtin_unreachable();
}

/// Calls `callback` with the unsigned type of the storage width: for kernels
/// that only move elements.
template <typename Callback>
decltype(auto) dispatchWidth(ElementType type, Callback &&callback) {
  switch (storageBytes(type)) {
  case 1:
    return callback(Tag<uint8_t>{});
  case 2:
    return callback(Tag<uint16_t>{});
  case 4:
    return callback(Tag<uint32_t>{});
  default:
    return callback(Tag<uint64_t>{});
  }
}

/// Calls `callback` with a type arithmetic is defined on. Narrow types must
/// have been widened.
template <typename Callback>
decltype(auto) dispatchArithmetic(ElementType type, Callback &&callback) {
  switch (type) {
  case ElementType::Bool:
    return callback(Tag<bool>{});
  case ElementType::I8:
    return callback(Tag<int8_t>{});
  case ElementType::I16:
    return callback(Tag<int16_t>{});
  case ElementType::I32:
    return callback(Tag<int32_t>{});
  case ElementType::I64:
    return callback(Tag<int64_t>{});
  case ElementType::U8:
    return callback(Tag<uint8_t>{});
  case ElementType::U16:
    return callback(Tag<uint16_t>{});
  case ElementType::U32:
    return callback(Tag<uint32_t>{});
  case ElementType::U64:
    return callback(Tag<uint64_t>{});
  case ElementType::BF16:
    return callback(Tag<BFloat16>{});
  case ElementType::F16:
    return callback(Tag<Half>{});
  case ElementType::F32:
    return callback(Tag<float>{});
  case ElementType::F64:
    return callback(Tag<double>{});
  default:
    break;
  }
  __builtin_unreachable();
}

/// The same for floating-point types only.
template <typename Callback>
decltype(auto) dispatchFloat(ElementType type, Callback &&callback) {
  switch (type) {
  case ElementType::BF16:
    return callback(Tag<BFloat16>{});
  case ElementType::F16:
    return callback(Tag<Half>{});
  case ElementType::F32:
    return callback(Tag<float>{});
  case ElementType::F64:
    return callback(Tag<double>{});
  default:
    break;
  }
  __builtin_unreachable();
}

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_INTERPRETER_ELEMENTTYPE_H
