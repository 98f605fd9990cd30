// SPDX-License-Identifier: Apache-2.0

#include "LaneIntegers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringMap.h"

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
using BinaryFunction = Bits (*)(const APInt &, const APInt &);

/// Ops on two integers of one width. A division by zero has no result, and
/// neither has a shift by the width or more.
BinaryFunction binaryFunction(Operation *op) {
  static const llvm::StringMap<BinaryFunction> functions = {
      {"arith.addi",
       [](const APInt &a, const APInt &b) -> Bits { return a + b; }},
      {"arith.subi",
       [](const APInt &a, const APInt &b) -> Bits { return a - b; }},
      {"arith.muli",
       [](const APInt &a, const APInt &b) -> Bits { return a * b; }},
      {"arith.andi",
       [](const APInt &a, const APInt &b) -> Bits { return a & b; }},
      {"arith.ori",
       [](const APInt &a, const APInt &b) -> Bits { return a | b; }},
      {"arith.xori",
       [](const APInt &a, const APInt &b) -> Bits { return a ^ b; }},
      {"arith.minsi",
       [](const APInt &a, const APInt &b) -> Bits { return a.slt(b) ? a : b; }},
      {"arith.maxsi",
       [](const APInt &a, const APInt &b) -> Bits { return a.sgt(b) ? a : b; }},
      {"arith.minui",
       [](const APInt &a, const APInt &b) -> Bits { return a.ult(b) ? a : b; }},
      {"arith.maxui",
       [](const APInt &a, const APInt &b) -> Bits { return a.ugt(b) ? a : b; }},
      {"arith.divui",
       [](const APInt &a, const APInt &b) -> Bits {
         return b.isZero() ? Bits() : a.udiv(b);
       }},
      {"arith.divsi",
       [](const APInt &a, const APInt &b) -> Bits {
         return b.isZero() ? Bits() : a.sdiv(b);
       }},
      {"arith.remui",
       [](const APInt &a, const APInt &b) -> Bits {
         return b.isZero() ? Bits() : a.urem(b);
       }},
      {"arith.remsi",
       [](const APInt &a, const APInt &b) -> Bits {
         return b.isZero() ? Bits() : a.srem(b);
       }},
      {"arith.shli",
       [](const APInt &a, const APInt &b) -> Bits {
         return b.ult(a.getBitWidth()) ? Bits(a.shl(b)) : Bits();
       }},
      {"arith.shrui",
       [](const APInt &a, const APInt &b) -> Bits {
         return b.ult(a.getBitWidth()) ? Bits(a.lshr(b)) : Bits();
       }},
      {"arith.shrsi",
       [](const APInt &a, const APInt &b) -> Bits {
         return b.ult(a.getBitWidth()) ? Bits(a.ashr(b)) : Bits();
       }},
  };
  return functions.lookup(op->getName().getStringRef());
}

/// What an op does with one element in one lane. Kernels go through the same op
/// many times, so which one it is is found out once.
class ElementFunction {
public:
  explicit ElementFunction(Operation *op)
      : to(widthOf(op->getResult(0).getType()).value_or(0)) {
    if (op->getNumOperands() == 0)
      return;
    from = widthOf(op->getOperand(0).getType()).value_or(0);
    if (isa<arith::SelectOp>(op)) {
      kind = Kind::Select;
    } else if (from == 0 || to == 0) {
      kind = Kind::Unknown;
    } else if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op)) {
      kind = Kind::ZeroExtend;
    } else if (isa<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp>(op)) {
      kind = Kind::SignExtend;
    } else if (auto comparison = dyn_cast<arith::CmpIOp>(op)) {
      kind = Kind::Compare;
      predicate = comparison.getPredicate();
    } else if (BinaryFunction function = binaryFunction(op)) {
      kind = Kind::Binary;
      binary = function;
    }
  }

  /// Nothing if the op is no function of integers, or has no result for these.
  std::optional<int64_t> operator()(ArrayRef<int64_t> operands) const {
    auto operand = [&](size_t number) {
      return asBits(operands[number], from);
    };
    switch (kind) {
    case Kind::Unknown:
      return std::nullopt;
    case Kind::Select:
      return operands[0] ? operands[1] : operands[2];
    case Kind::ZeroExtend:
      return asNumber(operand(0).zextOrTrunc(to));
    case Kind::SignExtend:
      return asNumber(operand(0).sextOrTrunc(to));
    case Kind::Compare:
      return compare(predicate, operand(0), operand(1));
    case Kind::Binary:
      break;
    }
    Bits bits = binary(operand(0), operand(1));
    return bits ? std::optional(asNumber(*bits)) : std::nullopt;
  }

private:
  enum class Kind { Unknown, Select, ZeroExtend, SignExtend, Compare, Binary };
  Kind kind = Kind::Unknown;
  unsigned from = 0, to = 0;
  arith::CmpIPredicate predicate = arith::CmpIPredicate::eq;
  BinaryFunction binary = nullptr;
};

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
  result.isUniform = true;
  return result;
}

/// Ops that put elements of vectors elsewhere.
std::optional<LaneIntegers>
moveElements(Operation *op, ArrayRef<const LaneIntegers *> operands) {
  if (isa<vector::BroadcastOp>(op)) {
    const LaneIntegers &source = *operands[0];
    LaneIntegers result;
    if (source.elements.size() != 1)
      return result;
    result.elements.assign(elementCount(op->getResult(0).getType()),
                           source.elements.front());
    result.known = source.known;
    result.isUniform = source.isUniform;
    return result;
  }
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    const LaneIntegers &source = *operands[0];
    LaneIntegers result;
    ArrayRef<int64_t> position = extract.getStaticPosition();
    if (position.size() != 1 || !extract.getDynamicPosition().empty() ||
        size_t(position[0]) >= source.elements.size())
      return result;
    result.elements = {source.elements[size_t(position[0])]};
    result.known = source.known;
    result.isUniform = source.isUniform;
    return result;
  }
  if (isa<vector::FromElementsOp>(op)) {
    LaneIntegers result;
    result.known = allLanes;
    result.isUniform = true;
    for (const LaneIntegers *each : operands) {
      if (each->elements.size() != 1)
        return LaneIntegers();
      result.elements.push_back(each->elements.front());
      result.known &= each->known;
      result.isUniform &= each->isUniform;
    }
    return result;
  }
  return std::nullopt;
}

} // namespace

LaneIntegers computeIntegers(Operation *op,
                             ArrayRef<const LaneIntegers *> operands) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return ofConstant(constant.getValue());
  if (std::optional<LaneIntegers> moved = moveElements(op, operands))
    return *moved;
  size_t count = elementCount(op->getResult(0).getType());
  LaneMask known = allLanes;
  bool isUniform = true;
  for (const LaneIntegers *each : operands) {
    // A condition may be one for all elements.
    bool fits = each->elements.size() == count || each->elements.size() == 1;
    known &= fits ? each->known : 0;
    isUniform &= each->isUniform;
  }
  LaneIntegers result = LaneIntegers::ofElements(count);
  ElementFunction function(op);
  SmallVector<int64_t, 3> numbers(operands.size());
  auto computeLane = [&](size_t lane) {
    for (size_t element = 0; element < count; ++element) {
      for (auto [number, operand] : llvm::zip_equal(numbers, operands))
        number =
            operand
                ->elements[operand->elements.size() == 1 ? 0 : element][lane];
      std::optional<int64_t> value = function(numbers);
      if (!value)
        return false;
      result.elements[element][lane] = *value;
    }
    return true;
  };
  if (isUniform && known == allLanes) {
    if (computeLane(0))
      result.fillFromFirstLane();
    return result;
  }
  for (size_t lane = 0; lane < size_t(lanesOfWarp); ++lane)
    if (known >> lane & 1 && computeLane(lane))
      result.known |= LaneMask(1) << lane;
  return result;
}

} // namespace shardsmith::lower
