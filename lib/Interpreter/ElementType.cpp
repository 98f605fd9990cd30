// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interpreter/ElementType.h"

#include "llvm/ADT/APFloat.h"

#include <array>
#include <cmath>

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

enum class Family : uint8_t { Bool, Signed, Unsigned, Float };

struct Properties {
  StringLiteral name;
  Family family;
  uint8_t bits;
  uint8_t bytes;
};

constexpr std::array<Properties, 19> table = {{
    {"i1", Family::Bool, 1, 1},        {"i2", Family::Signed, 2, 1},
    {"i4", Family::Signed, 4, 1},      {"i8", Family::Signed, 8, 1},
    {"i16", Family::Signed, 16, 2},    {"i32", Family::Signed, 32, 4},
    {"i64", Family::Signed, 64, 8},    {"ui2", Family::Unsigned, 2, 1},
    {"ui4", Family::Unsigned, 4, 1},   {"ui8", Family::Unsigned, 8, 1},
    {"ui16", Family::Unsigned, 16, 2}, {"ui32", Family::Unsigned, 32, 4},
    {"ui64", Family::Unsigned, 64, 8}, {"f8E5M2", Family::Float, 8, 1},
    {"f8E4M3FN", Family::Float, 8, 1}, {"bf16", Family::Float, 16, 2},
    {"f16", Family::Float, 16, 2},     {"f32", Family::Float, 32, 4},
    {"f64", Family::Float, 64, 8},
}};

const Properties &properties(ElementType type) {
  return table[static_cast<unsigned>(type)];
}

/// Rounds to nearest even in a format LLVM knows.
uint64_t roundedBits(double value, const fltSemantics &semantics) {
  APFloat rounded(value);
  bool losesInformation = false;
  rounded.convert(semantics, APFloat::rmNearestTiesToEven, &losesInformation);
  return rounded.bitcastToAPInt().getZExtValue();
}

float widenedBits(uint64_t bits, const fltSemantics &semantics) {
  APFloat value(semantics, APInt(APFloat::getSizeInBits(semantics), bits));
  bool losesInformation = false;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                &losesInformation);
  return value.convertToFloat();
}

} // namespace

unsigned storageBytes(ElementType type) { return properties(type).bytes; }
unsigned valueBits(ElementType type) { return properties(type).bits; }
bool isFloat(ElementType type) {
  return properties(type).family == Family::Float;
}
bool isSignedInteger(ElementType type) {
  return properties(type).family == Family::Signed;
}
bool isUnsignedInteger(ElementType type) {
  return properties(type).family == Family::Unsigned;
}
StringRef elementTypeName(ElementType type) { return properties(type).name; }

bool isNarrow(ElementType type) { return widened(type) != type; }

ElementType widened(ElementType type) {
  switch (type) {
  case ElementType::I2:
  case ElementType::I4:
    return ElementType::I8;
  case ElementType::U2:
  case ElementType::U4:
    return ElementType::U8;
  case ElementType::F8E5M2:
  case ElementType::F8E4M3FN:
    return ElementType::F32;
  default:
    return type;
  }
}

BFloat16::BFloat16(float value) {
  uint32_t wide = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) {
    bits = static_cast<uint16_t>((wide >> 16) | 0x40);
    return;
  }
  // Adding just below half of the dropped part, or half of it if the kept part
  // is odd, carries into the kept part exactly when rounding goes up.
  uint32_t half = 0x7fff + ((wide >> 16) & 1);
  bits = static_cast<uint16_t>((wide + half) >> 16);
}

BFloat16::BFloat16(double value) {
  // Rounding twice, by way of float32, would be wrong near ties. Rounding to
  // odd first keeps the information which side of a tie the value is on.
  float nearest = static_cast<float>(value);
  uint32_t wide = std::bit_cast<uint32_t>(nearest);
  if (std::isfinite(nearest) && static_cast<double>(nearest) != value &&
      (wide & 1) == 0) {
    bool towardsZero =
        std::fabs(static_cast<double>(nearest)) > std::fabs(value);
    wide = towardsZero ? wide - 1 : wide + 1;
    nearest = std::bit_cast<float>(wide);
  }
  *this = BFloat16(nearest);
}

Half::Half(double value) {
  // Fast path: a normal result. The mantissa of a double has 42 bits more.
  uint64_t wide = std::bit_cast<uint64_t>(value);
  int64_t exponent = static_cast<int64_t>((wide >> 52) & 0x7ff) - 1023;
  uint16_t sign = static_cast<uint16_t>((wide >> 48) & 0x8000);
  if (exponent < -14 || exponent > 15) {
    bits = (wide << 1) == 0
               ? sign
               : static_cast<uint16_t>(roundedBits(value, APFloat::IEEEhalf()));
    return;
  }
  uint64_t mantissa = wide & ((uint64_t(1) << 52) - 1);
  uint64_t kept =
      (static_cast<uint64_t>(exponent + 15) << 10) | (mantissa >> 42);
  uint64_t dropped = mantissa & ((uint64_t(1) << 42) - 1);
  uint64_t half = uint64_t(1) << 41;
  if (dropped > half || (dropped == half && (kept & 1)))
    ++kept; // May carry into the exponent, up to infinity: as it should.
  bits = static_cast<uint16_t>(sign | kept);
}

Half::operator float() const {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 0x1f;
  uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0x1f)
    return std::bit_cast<float>(sign | 0x7f800000 | (mantissa << 13));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) |
                                (mantissa << 13));
  float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

Float8E5M2::Float8E5M2(double value)
    : bits(static_cast<uint8_t>(roundedBits(value, APFloat::Float8E5M2()))) {}
Float8E5M2::operator float() const {
  return widenedBits(bits, APFloat::Float8E5M2());
}

Float8E4M3FN::Float8E4M3FN(double value)
    : bits(static_cast<uint8_t>(roundedBits(value, APFloat::Float8E4M3FN()))) {}
Float8E4M3FN::operator float() const {
  return widenedBits(bits, APFloat::Float8E4M3FN());
}

} // namespace shardsmith::inline interpreter
