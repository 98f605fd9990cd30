// SPDX-License-Identifier: Apache-2.0

#include "LaneIntegers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/TypeSwitch.h"

#include <optional>

using namespace mlir;
using llvm::APInt;

namespace shardsmith::lower {
namespace {

/// Of an integer, or of each element of a vector of them.
std::optional<unsigned> widthOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.getElementType();
  if (type.isIndex())
    return 64;
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth();
  return std::nullopt;
}

APInt asBits(int64_t number, unsigned width) {
  return APInt(width, uint64_t(number), /*isSigned=*/true,
               /*implicitTrunc=*/true);
}

int64_t asNumber(const APInt &bits) {
  return bits.getBitWidth() == 1 ? int64_t(bits.getZExtValue())
                                 : bits.getSExtValue();
}

bool compare(arith::CmpIPredicate predicate, const APInt &a, const APInt &b) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a.slt(b);
  case P::sle:
    return a.sle(b);
  case P::sgt:
    return a.sgt(b);
  case P::sge:
    return a.sge(b);
  case P::ult:
    return a.ult(b);
  case P::ule:
    return a.ule(b);
  case P::ugt:
    return a.ugt(b);
  case P::uge:
    return a.uge(b);
  }
  return false;
}

using Bits = std::optional<APInt>;

Bits binary(Operation *op, const APInt &a, const APInt &b) {
  bool divides = !b.isZero();
  bool shifts = b.ult(a.getBitWidth());
  return llvm::TypeSwitch<Operation *, Bits>(op)
      .Case([&](arith::AddIOp) { return a + b; })
      .Case([&](arith::SubIOp) { return a - b; })
      .Case([&](arith::MulIOp) { return a * b; })
      .Case([&](arith::AndIOp) { return a & b; })
      .Case([&](arith::OrIOp) { return a | b; })
      .Case([&](arith::XOrIOp) { return a ^ b; })
      .Case([&](arith::MinSIOp) { return a.slt(b) ? a : b; })
      .Case([&](arith::MaxSIOp) { return a.sgt(b) ? a : b; })
      .Case([&](arith::MinUIOp) { return a.ult(b) ? a : b; })
      .Case([&](arith::MaxUIOp) { return a.ugt(b) ? a : b; })
      .Case([&](arith::DivUIOp) { return divides ? Bits(a.udiv(b)) : Bits(); })
      .Case([&](arith::DivSIOp) { return divides ? Bits(a.sdiv(b)) : Bits(); })
      .Case([&](arith::RemUIOp) { return divides ? Bits(a.urem(b)) : Bits(); })
      .Case([&](arith::RemSIOp) { return divides ? Bits(a.srem(b)) : Bits(); })
      .Case([&](arith::ShLIOp) { return shifts ? Bits(a.shl(b)) : Bits(); })
      .Case([&](arith::ShRUIOp) { return shifts ? Bits(a.lshr(b)) : Bits(); })
      .Case([&](arith::ShRSIOp) { return shifts ? Bits(a.ashr(b)) : Bits(); })
      .Case([&](arith::CmpIOp each) {
        return APInt(1, compare(each.getPredicate(), a, b));
      })
      .Default([](Operation *) { return Bits(); });
}

/// The result of an op on integers for one element in one lane; nothing if the
/// op is none, or has no result for these operands (a division by zero).
std::optional<int64_t> evaluate(Operation *op, ArrayRef<int64_t> operands,
                                unsigned width) {
  if (isa<arith::SelectOp>(op))
    return operands[0] ? operands[1] : operands[2];
  std::optional<unsigned> from = widthOf(op->getOperand(0).getType());
  if (!from)
    return std::nullopt;
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
    return asNumber(asBits(operands[0], *from).zextOrTrunc(width));
  if (isa<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp>(op))
    return asNumber(asBits(operands[0], *from).sextOrTrunc(width));
  if (operands.size() != 2)
    return std::nullopt;
  Bits bits =
      binary(op, asBits(operands[0], *from), asBits(operands[1], *from));
  return bits ? std::optional(asNumber(*bits)) : std::nullopt;
}

size_t elementCount(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? size_t(vector.getNumElements()) : 1;
}

LaneIntegers ofConstant(TypedAttr value) {
  LaneIntegers result;
  auto add = [&](const APInt &number) {
    result.elements.emplace_back().fill(asNumber(number));
  };
  if (auto integer = dyn_cast<IntegerAttr>(value))
    add(integer.getValue());
  else if (auto dense = dyn_cast<DenseIntElementsAttr>(value))
    llvm::for_each(dense.getValues<APInt>(), add);
  result.known = result.elements.empty() ? 0 : allLanes;
  return result;
}

/// Ops that put elements of vectors elsewhere.
std::optional<LaneIntegers> moveElements(Operation *op,
                                         ArrayRef<LaneIntegers> operands) {
  if (isa<vector::BroadcastOp>(op)) {
    LaneIntegers result;
    if (operands[0].elements.size() != 1)
      return result;
    result.elements.assign(elementCount(op->getResult(0).getType()),
                           operands[0].elements.front());
    result.known = operands[0].known;
    return result;
  }
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    LaneIntegers result;
    ArrayRef<int64_t> position = extract.getStaticPosition();
    if (position.size() != 1 || !extract.getDynamicPosition().empty() ||
        size_t(position[0]) >= operands[0].elements.size())
      return result;
    result.elements = {operands[0].elements[size_t(position[0])]};
    result.known = operands[0].known;
    return result;
  }
  if (isa<vector::FromElementsOp>(op)) {
    LaneIntegers result;
    result.known = allLanes;
    for (const LaneIntegers &each : operands) {
      if (each.elements.size() != 1)
        return LaneIntegers();
      result.elements.push_back(each.elements.front());
      result.known &= each.known;
    }
    return result;
  }
  return std::nullopt;
}

} // namespace

LaneIntegers computeIntegers(Operation *op, ArrayRef<LaneIntegers> operands) {
  Type type = op->getResult(0).getType();
  std::optional<unsigned> width = widthOf(type);
  if (!width)
    return {};
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return ofConstant(constant.getValue());
  if (std::optional<LaneIntegers> moved = moveElements(op, operands))
    return *moved;
  size_t count = elementCount(type);
  LaneIntegers result = LaneIntegers::ofElements(count);
  LaneMask known = allLanes;
  for (const LaneIntegers &each : operands)
    // A condition may be one for all elements.
    known &= each.elements.size() == count || each.elements.size() == 1
                 ? each.known
                 : 0;
  SmallVector<int64_t, 3> numbers(operands.size());
  for (size_t lane = 0; lane < size_t(lanesOfWarp); ++lane) {
    if (!(known >> lane & 1))
      continue;
    bool isKnown = true;
    for (size_t element = 0; element < count && isKnown; ++element) {
      for (auto [number, operand] : llvm::zip_equal(numbers, operands))
        number =
            operand.elements[operand.elements.size() == 1 ? 0 : element][lane];
      std::optional<int64_t> value = evaluate(op, numbers, *width);
      isKnown = value.has_value();
      result.elements[element][lane] = value.value_or(0);
    }
    if (isKnown)
      result.known |= LaneMask(1) << lane;
  }
  return result;
}

} // namespace shardsmith::lower
