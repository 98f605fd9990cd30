// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/Elements/LaneIndex.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <numeric>

using namespace mlir;

namespace shardsmith::lower {

Value LaneArithmetic::constant(int64_t value) {
  return arith::ConstantOp::create(builder, builder.getI64IntegerAttr(value));
}

int64_t LaneArithmetic::alignment(const LaneIndex &a) const {
  return std::gcd(a.base ? a.multiple : 0, std::abs(a.offset));
}

Value LaneArithmetic::scalar(const LaneIndex &a) {
  assert(a.isUniform() && "lanes are at different positions");
  if (!a.base)
    return constant(a.offset);
  if (a.offset == 0)
    return a.base;
  return arith::AddIOp::create(builder, a.base, constant(a.offset));
}

Value LaneArithmetic::vector(const LaneIndex &a, Type integer) {
  auto type = VectorType::get({lanes}, integer);
  if (a.positions)
    return integer == builder.getI64Type()
               ? a.positions
               : Value(arith::TruncIOp::create(builder, type, a.positions));
  SmallVector<APInt> steps;
  unsigned width = integer.getIntOrFloatBitWidth();
  for (int64_t lane = 0; lane < lanes; ++lane)
    steps.push_back(APInt(64, a.offset + lane * a.stride).trunc(width));
  Value result =
      arith::ConstantOp::create(builder, DenseElementsAttr::get(type, steps));
  if (!a.base)
    return result;
  Value base = a.base;
  if (width < 64)
    base = arith::TruncIOp::create(builder, integer, base);
  Value splat = vector::BroadcastOp::create(builder, type, base);
  return arith::AddIOp::create(builder, splat, result);
}

LaneIndex LaneArithmetic::generalize(const LaneIndex &a) {
  return LaneIndex::general(vector(a, builder.getI64Type()));
}

LaneIndex LaneArithmetic::plus(LaneIndex a, int64_t value) {
  if (value == 0)
    return a;
  if (a.positions)
    return plus(a, LaneIndex::constant(value));
  a.offset += value;
  return a;
}

LaneIndex LaneArithmetic::plus(LaneIndex a, const LaneIndex &b) {
  if (a.positions || b.positions)
    return LaneIndex::general(arith::AddIOp::create(
        builder, generalize(a).positions, generalize(b).positions));
  LaneIndex sum;
  sum.offset = a.offset + b.offset;
  sum.stride = a.stride + b.stride;
  if (!a.base || !b.base) {
    sum.base = a.base ? a.base : b.base;
    sum.multiple = a.base ? a.multiple : b.multiple;
    return sum;
  }
  sum.base = arith::AddIOp::create(builder, a.base, b.base);
  sum.multiple = std::gcd(a.multiple, b.multiple);
  return sum;
}

LaneIndex LaneArithmetic::times(LaneIndex a, int64_t factor) {
  if (factor == 1)
    return a;
  if (factor == 0)
    return LaneIndex::constant(0);
  if (a.positions) {
    Value splat = vector(LaneIndex::constant(factor), builder.getI64Type());
    return LaneIndex::general(
        arith::MulIOp::create(builder, a.positions, splat));
  }
  if (a.base)
    a.base = arith::MulIOp::create(builder, a.base, constant(factor));
  a.offset *= factor;
  a.stride *= factor;
  a.multiple *= std::abs(factor);
  return a;
}

// Lanes start at v = base + offset, a multiple of g, and end at v + span.
// If g divides the divisor n and span < g, no lane crosses a multiple of n:
//
//     0        g        2g       n
//     |--------|--------|--------|--------|
//              v→→→→
//
// If n divides the stride instead, all lanes have the same remainder.
LaneArithmetic::Division LaneArithmetic::divide(const LaneIndex &a,
                                                int64_t divisor) {
  if (divisor == 1)
    return {a, LaneIndex::constant(0)};
  int64_t span = a.stride * (lanes - 1);
  bool together = false;
  if (!a.positions && !a.base && a.stride >= 0) {
    together = a.offset % divisor + span < divisor;
  } else if (!a.positions) {
    int64_t aligned = std::gcd(alignment(a), divisor);
    together = a.stride >= 0 && span < aligned;
  }
  if (a.positions || (!together && a.stride % divisor != 0)) {
    Value positions = generalize(a).positions;
    Value splat = vector(LaneIndex::constant(divisor), builder.getI64Type());
    return {
        LaneIndex::general(arith::DivUIOp::create(builder, positions, splat)),
        LaneIndex::general(arith::RemUIOp::create(builder, positions, splat))};
  }
  Division result;
  if (!a.base) {
    result.quotient = LaneIndex::constant(a.offset / divisor);
    result.remainder = LaneIndex::constant(a.offset % divisor);
  } else {
    LaneIndex start = a;
    start.stride = 0;
    Value dividend = scalar(start);
    int64_t aligned = alignment(a);
    result.quotient = LaneIndex::at(
        arith::DivUIOp::create(builder, dividend, constant(divisor)),
        aligned % divisor == 0 ? aligned / divisor : 1);
    if (aligned % divisor == 0)
      result.remainder = LaneIndex::constant(0);
    else
      result.remainder = LaneIndex::at(
          arith::RemUIOp::create(builder, dividend, constant(divisor)),
          std::gcd(aligned, divisor));
  }
  if (together)
    result.remainder.stride = a.stride;
  else
    result.quotient.stride = a.stride / divisor;
  return result;
}

LaneIndex LaneArithmetic::linearize(ArrayRef<LaneIndex> index,
                                    ArrayRef<int64_t> shape) {
  LaneIndex sum = LaneIndex::constant(0);
  int64_t stride = 1;
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    if (shape[d] != 1)
      sum = plus(times(index[d], stride), sum);
    stride *= shape[d];
  }
  return sum;
}

LaneIndices LaneArithmetic::delinearize(LaneIndex linear,
                                        ArrayRef<int64_t> shape) {
  LaneIndices index(shape.size(), LaneIndex::constant(0));
  int64_t outermost = 0;
  while (outermost < static_cast<int64_t>(shape.size()) &&
         shape[outermost] == 1)
    ++outermost;
  for (int64_t d = shape.size() - 1; d > outermost; --d) {
    if (shape[d] == 1)
      continue;
    Division parts = divide(linear, shape[d]);
    index[d] = parts.remainder;
    linear = parts.quotient;
  }
  if (outermost < static_cast<int64_t>(shape.size()))
    index[outermost] = linear;
  return index;
}

// Cuts both shapes where their products of leading dimensions agree and
// treats each piece alone:  [4, 64, 768] to [4, 64, 12, 64] moves only the
// last dimension.
LaneIndices LaneArithmetic::reshape(ArrayRef<LaneIndex> index,
                                    ArrayRef<int64_t> to,
                                    ArrayRef<int64_t> from) {
  LaneIndices result;
  size_t t = 0, f = 0;
  while (f < from.size()) {
    size_t firstTo = t, firstFrom = f;
    int64_t productTo = 1, productFrom = 1;
    auto takeTo = [&] { productTo *= to[t++]; };
    auto takeFrom = [&] { productFrom *= from[f++]; };
    takeFrom();
    while (productTo != productFrom) {
      if (productTo < productFrom)
        takeTo();
      else
        takeFrom();
    }
    LaneIndex linear = linearize(index.slice(firstTo, t - firstTo),
                                 to.slice(firstTo, t - firstTo));
    llvm::append_range(
        result, delinearize(linear, from.slice(firstFrom, f - firstFrom)));
  }
  return result;
}

void LaneArithmetic::require(LaneCondition &condition, Value test,
                             bool uniform) {
  Value &place = uniform ? condition.uniform : condition.lanes;
  place = place ? Value(arith::AndIOp::create(builder, place, test)) : test;
}

LaneIndex LaneArithmetic::restrict(LaneIndex a, int64_t low, int64_t high,
                                   LaneCondition &condition) {
  if (!a.positions) {
    // Lanes within one aligned block are on the same side of a boundary
    // between blocks.
    int64_t block = alignment(a);
    int64_t span = a.stride * (lanes - 1);
    bool together = a.stride == 0 || (a.stride > 0 && span < block &&
                                      low % block == 0 && high % block == 0);
    if (together) {
      LaneIndex start = a;
      start.stride = 0;
      Value position = scalar(start);
      require(condition,
              arith::CmpIOp::create(builder, arith::CmpIPredicate::sge,
                                    position, constant(low)),
              /*uniform=*/true);
      require(condition,
              arith::CmpIOp::create(builder, arith::CmpIPredicate::slt,
                                    position, constant(high)),
              /*uniform=*/true);
      return a;
    }
  }
  Type i64 = builder.getI64Type();
  Value positions = generalize(a).positions;
  Value lowest = vector(LaneIndex::constant(low), i64);
  Value highest = vector(LaneIndex::constant(high - 1), i64);
  require(condition,
          arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, positions,
                                lowest),
          /*uniform=*/false);
  require(condition,
          arith::CmpIOp::create(builder, arith::CmpIPredicate::sle, positions,
                                highest),
          /*uniform=*/false);
  Value inside = arith::MaxSIOp::create(builder, positions, lowest);
  return LaneIndex::general(arith::MinSIOp::create(builder, inside, highest));
}

LaneIndex LaneArithmetic::clamp(const LaneIndex &a, int64_t high) {
  if (high <= 0)
    return LaneIndex::constant(0);
  if (a.isUniform()) {
    Value inside = arith::MaxSIOp::create(builder, scalar(a), constant(0));
    return LaneIndex::at(
        arith::MinSIOp::create(builder, inside, constant(high)));
  }
  Type i64 = builder.getI64Type();
  Value zero = vector(LaneIndex::constant(0), i64);
  Value limit = vector(LaneIndex::constant(high), i64);
  Value inside = arith::MaxSIOp::create(builder, generalize(a).positions, zero);
  return LaneIndex::general(arith::MinSIOp::create(builder, inside, limit));
}

} // namespace shardsmith::lower
