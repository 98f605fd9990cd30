// SPDX-License-Identifier: Apache-2.0
//
// Written for the emulator alone: it shares no arithmetic with the compiler.

#include "LaneFunctions.h"

#include "shardsmith/Interpreter/ElementType.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

#include <bit>
#include <cmath>

using namespace mlir;

namespace shardsmith::emulator {
namespace {

uint64_t mask(uint64_t value, uint32_t bits) {
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

int64_t signedOf(uint64_t value, uint32_t bits) {
  unsigned unused = 64 - bits;
  return static_cast<int64_t>(value << unused) >> unused;
}

template <typename T> T floatOf(uint64_t bits) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  else
    return std::bit_cast<double>(bits);
}

template <typename T> uint64_t bitsOf(T value) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<uint32_t>(value);
  else
    return std::bit_cast<uint64_t>(value);
}

using I = const Instruction &;

// Integers.
uint64_t add(I i, uint64_t a, uint64_t b, uint64_t) {
  return mask(a + b, i.toBits);
}
uint64_t subtract(I i, uint64_t a, uint64_t b, uint64_t) {
  return mask(a - b, i.toBits);
}
uint64_t multiply(I i, uint64_t a, uint64_t b, uint64_t) {
  return mask(a * b, i.toBits);
}
uint64_t divideUnsigned(I, uint64_t a, uint64_t b, uint64_t) {
  return b == 0 ? 0 : a / b;
}
uint64_t divideSigned(I i, uint64_t a, uint64_t b, uint64_t) {
  int64_t x = signedOf(a, i.fromBits), y = signedOf(b, i.fromBits);
  return y == 0 || y == -1 ? mask(0 - uint64_t(x), i.toBits)
                           : mask(x / y, i.toBits);
}
uint64_t remainderUnsigned(I, uint64_t a, uint64_t b, uint64_t) {
  return b == 0 ? 0 : a % b;
}
uint64_t remainderSigned(I i, uint64_t a, uint64_t b, uint64_t) {
  int64_t x = signedOf(a, i.fromBits), y = signedOf(b, i.fromBits);
  return y == 0 || y == -1 ? 0 : mask(x % y, i.toBits);
}
uint64_t conjunction(I, uint64_t a, uint64_t b, uint64_t) { return a & b; }
uint64_t disjunction(I, uint64_t a, uint64_t b, uint64_t) { return a | b; }
uint64_t exclusive(I, uint64_t a, uint64_t b, uint64_t) { return a ^ b; }
uint64_t shiftLeft(I i, uint64_t a, uint64_t b, uint64_t) {
  return b >= i.fromBits ? 0 : mask(a << b, i.toBits);
}
uint64_t shiftRight(I i, uint64_t a, uint64_t b, uint64_t) {
  return b >= i.fromBits ? 0 : a >> b;
}
uint64_t shiftRightSigned(I i, uint64_t a, uint64_t b, uint64_t) {
  return mask(signedOf(a, i.fromBits) >> std::min<uint64_t>(b, 63), i.toBits);
}
uint64_t maxSigned(I i, uint64_t a, uint64_t b, uint64_t) {
  return signedOf(a, i.fromBits) > signedOf(b, i.fromBits) ? a : b;
}
uint64_t minSigned(I i, uint64_t a, uint64_t b, uint64_t) {
  return signedOf(a, i.fromBits) < signedOf(b, i.fromBits) ? a : b;
}
uint64_t maxUnsigned(I, uint64_t a, uint64_t b, uint64_t) {
  return std::max(a, b);
}
uint64_t minUnsigned(I, uint64_t a, uint64_t b, uint64_t) {
  return std::min(a, b);
}
uint64_t compareIntegers(I i, uint64_t a, uint64_t b, uint64_t) {
  int64_t x = signedOf(a, i.fromBits), y = signedOf(b, i.fromBits);
  switch (static_cast<arith::CmpIPredicate>(i.predicate)) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return x < y;
  case arith::CmpIPredicate::sle:
    return x <= y;
  case arith::CmpIPredicate::sgt:
    return x > y;
  case arith::CmpIPredicate::sge:
    return x >= y;
  case arith::CmpIPredicate::ult:
    return a < b;
  case arith::CmpIPredicate::ule:
    return a <= b;
  case arith::CmpIPredicate::ugt:
    return a > b;
  case arith::CmpIPredicate::uge:
    return a >= b;
  }
  llvm_unreachable("all predicates are handled");
}
uint64_t select(I, uint64_t condition, uint64_t a, uint64_t b) {
  return condition ? a : b;
}
uint64_t keep(I, uint64_t a, uint64_t, uint64_t) { return a; }
uint64_t truncate(I i, uint64_t a, uint64_t, uint64_t) {
  return mask(a, i.toBits);
}
uint64_t extendSigned(I i, uint64_t a, uint64_t, uint64_t) {
  return mask(signedOf(a, i.fromBits), i.toBits);
}
uint64_t countOnes(I, uint64_t a, uint64_t, uint64_t) {
  return std::popcount(a);
}
uint64_t countLeadingZeros(I i, uint64_t a, uint64_t, uint64_t) {
  return std::countl_zero(a) - (64 - i.fromBits);
}
uint64_t absoluteInteger(I i, uint64_t a, uint64_t, uint64_t) {
  return signedOf(a, i.fromBits) < 0 ? mask(0 - a, i.toBits) : a;
}

// Floats; the width is that of the operand.
template <typename Function>
uint64_t onFloat(I i, Function function, auto... bits) {
  if (i.fromBits == 64)
    return bitsOf<double>(function(floatOf<double>(bits)...));
  return bitsOf<float>(function(floatOf<float>(bits)...));
}

#define SHARDSMITH_UNARY(NAME, EXPRESSION)                                     \
  uint64_t NAME(I i, uint64_t a, uint64_t, uint64_t) {                         \
    return onFloat(i, [](auto x) { return decltype(x)(EXPRESSION); }, a);      \
  }
#define SHARDSMITH_BINARY(NAME, EXPRESSION)                                    \
  uint64_t NAME(I i, uint64_t a, uint64_t b, uint64_t) {                       \
    return onFloat(                                                            \
        i, [](auto x, auto y) { return decltype(x)(EXPRESSION); }, a, b);      \
  }
SHARDSMITH_BINARY(addFloats, x + y)
SHARDSMITH_BINARY(subtractFloats, x - y)
SHARDSMITH_BINARY(multiplyFloats, x *y)
SHARDSMITH_BINARY(divideFloats, x / y)
SHARDSMITH_BINARY(copySign, std::copysign(x, y))
SHARDSMITH_BINARY(maximum, std::isnan(x)   ? x
                           : std::isnan(y) ? y
                           : x == y        ? (std::signbit(x) ? y : x)
                           : x > y         ? x
                                           : y)
SHARDSMITH_BINARY(minimum, std::isnan(x)   ? x
                           : std::isnan(y) ? y
                           : x == y        ? (std::signbit(x) ? x : y)
                           : x < y         ? x
                                           : y)
SHARDSMITH_UNARY(negate, -x)
SHARDSMITH_UNARY(absolute, std::abs(x))
SHARDSMITH_UNARY(ceil, std::ceil(x))
SHARDSMITH_UNARY(floor, std::floor(x))
SHARDSMITH_UNARY(roundEven, std::nearbyint(x))
SHARDSMITH_UNARY(roundAway, std::round(x))
SHARDSMITH_UNARY(squareRoot, std::sqrt(x))
#undef SHARDSMITH_UNARY
#undef SHARDSMITH_BINARY

uint64_t fused(I i, uint64_t a, uint64_t b, uint64_t c) {
  return onFloat(
      i, [](auto x, auto y, auto z) { return std::fma(x, y, z); }, a, b, c);
}

uint64_t compareFloats(I i, uint64_t a, uint64_t b, uint64_t) {
  double x = i.fromBits == 64 ? floatOf<double>(a) : floatOf<float>(a);
  double y = i.fromBits == 64 ? floatOf<double>(b) : floatOf<float>(b);
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (static_cast<arith::CmpFPredicate>(i.predicate)) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return !unordered && x == y;
  case arith::CmpFPredicate::OGT:
    return !unordered && x > y;
  case arith::CmpFPredicate::OGE:
    return !unordered && x >= y;
  case arith::CmpFPredicate::OLT:
    return !unordered && x < y;
  case arith::CmpFPredicate::OLE:
    return !unordered && x <= y;
  case arith::CmpFPredicate::ONE:
    return !unordered && x != y;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UEQ:
    return unordered || x == y;
  case arith::CmpFPredicate::UGT:
    return unordered || x > y;
  case arith::CmpFPredicate::UGE:
    return unordered || x >= y;
  case arith::CmpFPredicate::ULT:
    return unordered || x < y;
  case arith::CmpFPredicate::ULE:
    return unordered || x <= y;
  case arith::CmpFPredicate::UNE:
    return unordered || x != y;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  llvm_unreachable("all predicates are handled");
}

// Conversions. Those between floats know the narrow types by their function.
template <typename Narrow>
uint64_t narrow(I i, uint64_t a, uint64_t, uint64_t) {
  return i.fromBits == 64 ? Narrow(floatOf<double>(a)).bits
                          : Narrow(floatOf<float>(a)).bits;
}
template <typename Narrow> uint64_t widen(I i, uint64_t a, uint64_t, uint64_t) {
  Narrow value;
  value.bits = static_cast<uint16_t>(a);
  float wide = static_cast<float>(value);
  return i.toBits == 64 ? bitsOf<double>(wide) : bitsOf<float>(wide);
}
uint64_t singleToDouble(I, uint64_t a, uint64_t, uint64_t) {
  return bitsOf<double>(floatOf<float>(a));
}
uint64_t doubleToSingle(I, uint64_t a, uint64_t, uint64_t) {
  return bitsOf<float>(static_cast<float>(floatOf<double>(a)));
}
uint64_t signedToFloat(I i, uint64_t a, uint64_t, uint64_t) {
  int64_t value = signedOf(a, i.fromBits);
  return i.toBits == 64 ? bitsOf<double>(value) : bitsOf<float>(value);
}
uint64_t unsignedToFloat(I i, uint64_t a, uint64_t, uint64_t) {
  return i.toBits == 64 ? bitsOf<double>(a) : bitsOf<float>(a);
}
uint64_t floatToSigned(I i, uint64_t a, uint64_t, uint64_t) {
  double value = i.fromBits == 64 ? floatOf<double>(a) : floatOf<float>(a);
  bool fits = std::abs(value) < 0x1p63;
  return mask(fits ? static_cast<int64_t>(value) : 0, i.toBits);
}
uint64_t floatToUnsigned(I i, uint64_t a, uint64_t, uint64_t) {
  double value = i.fromBits == 64 ? floatOf<double>(a) : floatOf<float>(a);
  bool fits = value > -1 && value < 0x1p64;
  return mask(fits ? static_cast<uint64_t>(value) : 0, i.toBits);
}

LaneFunction findConversion(Operation *op) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (from.isBF16())
    return widen<BFloat16>;
  if (from.isF16())
    return widen<Half>;
  if (to.isBF16())
    return narrow<BFloat16>;
  if (to.isF16())
    return narrow<Half>;
  return from.isF32() ? singleToDouble : doubleToSingle;
}

const llvm::StringMap<LaneFunction> &functions() {
  static const llvm::StringMap<LaneFunction> all = {
      {"arith.addf", addFloats},
      {"arith.addi", add},
      {"arith.andi", conjunction},
      {"arith.bitcast", keep},
      {"arith.cmpf", compareFloats},
      {"arith.cmpi", compareIntegers},
      {"arith.divf", divideFloats},
      {"arith.divsi", divideSigned},
      {"arith.divui", divideUnsigned},
      {"arith.extsi", extendSigned},
      {"arith.extui", keep},
      {"arith.fptosi", floatToSigned},
      {"arith.fptoui", floatToUnsigned},
      {"arith.index_cast", extendSigned},
      {"arith.maximumf", maximum},
      {"arith.maxsi", maxSigned},
      {"arith.maxui", maxUnsigned},
      {"arith.minimumf", minimum},
      {"arith.minsi", minSigned},
      {"arith.minui", minUnsigned},
      {"arith.mulf", multiplyFloats},
      {"arith.muli", multiply},
      {"arith.negf", negate},
      {"arith.ori", disjunction},
      {"arith.remsi", remainderSigned},
      {"arith.remui", remainderUnsigned},
      {"arith.select", select},
      {"arith.shli", shiftLeft},
      {"arith.shrsi", shiftRightSigned},
      {"arith.shrui", shiftRight},
      {"arith.sitofp", signedToFloat},
      {"arith.subf", subtractFloats},
      {"arith.subi", subtract},
      {"arith.trunci", truncate},
      {"arith.uitofp", unsignedToFloat},
      {"arith.xori", exclusive},
      {"math.absf", absolute},
      {"math.absi", absoluteInteger},
      {"math.ceil", ceil},
      {"math.copysign", copySign},
      {"math.ctlz", countLeadingZeros},
      {"math.ctpop", countOnes},
      {"math.floor", floor},
      {"math.fma", fused},
      {"math.round", roundAway},
      {"math.roundeven", roundEven},
      {"math.sqrt", squareRoot},
      {"vector.broadcast", keep},
  };
  return all;
}

} // namespace

LaneFunction findLaneFunction(Operation *op) {
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return findConversion(op);
  return functions().lookup(op->getName().getStringRef());
}

} // namespace shardsmith::emulator
