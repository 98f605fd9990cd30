// SPDX-License-Identifier: Apache-2.0
//
// Element types: sizes, names, and the float formats of 16 and eight bits.

#ifndef SHARDSMITH_RUNTIME_ELEMENTTYPE_H
#define SHARDSMITH_RUNTIME_ELEMENTTYPE_H

#include "shardsmith/Runtime/ABI.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

namespace shardsmith::runtime {

using ElementType = smith_dtype;
using Reduction = smith_reduction;

int64_t byteSize(ElementType type);

/// `f32`, `i8`, …, as manifests write it.
std::string_view name(ElementType type);
std::optional<ElementType> elementTypeFromName(std::string_view name);

/// `F32`, `I8`, …, as safetensors headers write it.
std::string_view safeTensorsName(ElementType type);
std::optional<ElementType> elementTypeFromSafeTensors(std::string_view name);

bool isFloat(ElementType type);
bool isInteger(ElementType type); // neither float nor bool

/// bfloat16: the upper half of a float. Rounds to nearest, ties to even.
struct BFloat16 {
  uint16_t bits;

  static BFloat16 fromFloat(float value) {
    uint32_t bits = std::bit_cast<uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) // NaN stays NaN, made quiet
      return {static_cast<uint16_t>((bits >> 16) | 0x40u)};
    bits += 0x7fffu + ((bits >> 16) & 1u);
    return {static_cast<uint16_t>(bits >> 16)};
  }
  float toFloat() const {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

/// IEEE 754 binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits. Rounds
/// to nearest, ties to even.
struct Float16 {
  uint16_t bits;

  static Float16 fromFloat(float value) {
    uint32_t bits = std::bit_cast<uint32_t>(value);
    uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
    uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
      return {static_cast<uint16_t>(sign | 0x7e00u)};
    if (magnitude >= 0x477ff000u) // 65520 and above round to infinity
      return {static_cast<uint16_t>(sign | 0x7c00u)};
    if (magnitude < 0x38800000u) {
      // Below 2^-14 the result is a multiple of 2^-24; adding 0.5 lets the
      // float adder round to that grid (the last bit of 0.5f is 2^-24).
      float shifted = std::bit_cast<float>(magnitude) + 0.5f;
      return {static_cast<uint16_t>(
          sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u))};
    }
    magnitude += 0xfffu + ((magnitude >> 13) & 1u);
    return {static_cast<uint16_t>(sign | ((magnitude - 0x38000000u) >> 13))};
  }
  float toFloat() const {
    uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
    uint32_t exponent = (bits >> 10) & 0x1fu;
    uint32_t fraction = bits & 0x3ffu;
    if (exponent == 0) {
      float magnitude = static_cast<float>(fraction) * 0x1p-24f;
      return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
    }
    if (exponent == 31)
      return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) |
                                (fraction << 13));
  }
};

/// 1 sign, 7 − `fraction` exponent and `fraction` fraction bits (arXiv
/// 2209.05433). Rounds to nearest, ties to even; what is too large becomes
/// infinity, or NaN where there is none.
template <int fraction, int bias, bool hasInfinity> struct Float8 {
  uint8_t bits;

  static Float8 fromFloat(float value) {
    uint8_t sign = std::signbit(value) ? 0x80 : 0;
    float size = std::fabs(value);
    if (std::isnan(size))
      return {static_cast<uint8_t>(sign | notANumber)};
    if (std::isinf(size))
      return {static_cast<uint8_t>(sign | beyond)};
    // In units of the last bit. Those of a normal number begin with a one that
    // is no part of the fraction: it carries into the exponent.
    int exponent = size == 0 ? 1 - bias : std::max(std::ilogb(size), 1 - bias);
    auto units =
        static_cast<int>(std::nearbyint(std::ldexp(size, fraction - exponent)));
    int code = ((exponent + bias - 1) << fraction) + units;
    return {static_cast<uint8_t>(sign | (code > largest ? beyond : code))};
  }
  float toFloat() const {
    int size = bits & 0x7f, exponent = size >> fraction;
    float magnitude = 0;
    if (size > largest)
      magnitude = hasInfinity && size == beyond
                      ? std::numeric_limits<float>::infinity()
                      : std::numeric_limits<float>::quiet_NaN();
    else if (exponent == 0)
      magnitude = std::ldexp(static_cast<float>(size), 1 - bias - fraction);
    else
      magnitude = std::ldexp(
          static_cast<float>((1 << fraction) + (size & ((1 << fraction) - 1))),
          exponent - bias - fraction);
    return std::copysign(magnitude, (bits & 0x80) != 0 ? -1.0f : 1.0f);
  }

private:
  static constexpr int largest = hasInfinity ? 0x7f - (1 << fraction) : 0x7e;
  static constexpr int beyond = largest + 1; ///< infinity, or NaN
  static constexpr int notANumber = hasInfinity ? 0x7e : 0x7f;
};
using Float8E4M3FN = Float8<3, 7, false>;
using Float8E5M2 = Float8<2, 15, true>;

/// Reads element `index` of an array of `type` as a double.
double loadAsDouble(ElementType type, const void *data, int64_t index);

/// Stores a double as `type`; integers truncate towards zero.
void storeFromDouble(ElementType type, void *data, int64_t index, double value);

/// Stores elements [index, index + count) in the same way.
void storeFromDoubles(ElementType type, void *data, int64_t index,
                      const double *values, int64_t count);

/// Copies `count` elements from one array to another, whose types are equal or
/// both floats; floats are rounded to nearest.
void convertElements(ElementType from, const void *source, int64_t sourceIndex,
                     ElementType to, void *target, int64_t targetIndex,
                     int64_t count);

/// Calls `visitor` with a value of the C++ type that holds `type`; bool is
/// passed as uint8_t.
template <typename Visitor>
decltype(auto) visitElementType(ElementType type, Visitor &&visitor) {
  switch (type) {
  case SMITH_F32:
    return visitor(float{});
  case SMITH_BF16:
    return visitor(BFloat16{});
  case SMITH_F16:
    return visitor(Float16{});
  case SMITH_F64:
    return visitor(double{});
  case SMITH_I8:
    return visitor(int8_t{});
  case SMITH_I16:
    return visitor(int16_t{});
  case SMITH_I32:
    return visitor(int32_t{});
  case SMITH_I64:
    return visitor(int64_t{});
  case SMITH_U16:
    return visitor(uint16_t{});
  case SMITH_U32:
    return visitor(uint32_t{});
  case SMITH_U64:
    return visitor(uint64_t{});
  case SMITH_F8E4M3FN:
    return visitor(Float8E4M3FN{});
  case SMITH_F8E5M2:
    return visitor(Float8E5M2{});
  case SMITH_U8:
  case SMITH_BOOL:
    break;
  }
  return visitor(uint8_t{});
}

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_ELEMENTTYPE_H
