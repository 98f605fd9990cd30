// SPDX-License-Identifier: Apache-2.0

#include "Fold.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace {

bool isUnsignedElement(Type type) {
  return type.isUnsignedInteger() || type.isInteger(1);
}

/// Applies `rule` to elements of type `In` of both constants. Equal elements
/// are computed once. Null if the rule declines for any pair.
template <typename Out, typename In>
Attribute combine(DenseElementsAttr lhs, DenseElementsAttr rhs, Type resultType,
                  llvm::function_ref<std::optional<Out>(In, In)> rule) {
  auto type = cast<ShapedType>(resultType);
  if (lhs.isSplat() && rhs.isSplat()) {
    auto value = rule(lhs.getSplatValue<In>(), rhs.getSplatValue<In>());
    return value ? DenseElementsAttr::get(type, ArrayRef<Out>(*value))
                 : Attribute();
  }
  SmallVector<Out> values;
  for (auto [a, b] :
       llvm::zip_equal(lhs.getValues<In>(), rhs.getValues<In>())) {
    std::optional<Out> value = rule(a, b);
    if (!value)
      return nullptr;
    values.push_back(*value);
  }
  return DenseElementsAttr::get(type, values);
}

using IntegerRule =
    llvm::function_ref<std::optional<APInt>(APInt, APInt, bool isUnsigned)>;
using FloatRule = llvm::function_ref<std::optional<APFloat>(APFloat, APFloat)>;

/// Folds an op of two operands whose result has their type.
OpFoldResult foldBinary(Attribute lhs, Attribute rhs, Type type,
                        IntegerRule onIntegers, FloatRule onFloats = nullptr) {
  DenseElementsAttr a = getFoldable(lhs), b = getFoldable(rhs);
  if (!a || !b || a.getType() != b.getType())
    return {};
  if (isa<FloatType>(a.getElementType()))
    return onFloats ? combine<APFloat, APFloat>(a, b, type, onFloats)
                    : Attribute();
  bool isUnsigned = isUnsignedElement(a.getElementType());
  return combine<APInt, APInt>(a, b, type, [&](const APInt &x, const APInt &y) {
    return onIntegers(x, y, isUnsigned);
  });
}

/// Whether `attribute` is `value` everywhere.
bool isSplatOf(Attribute attribute, int64_t value) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(attribute);
  if (!splat)
    return false;
  if (isa<FloatType>(splat.getElementType()))
    return splat.getSplatValue<APFloat>().isExactlyValue(value);
  if (isa<IntegerType>(splat.getElementType()))
    return splat.getSplatValue<APInt>() ==
           APInt(splat.getElementType().getIntOrFloatBitWidth(), value,
                 /*isSigned=*/true, /*implicitTrunc=*/true)
               .getZExtValue();
  return false;
}

bool holdsIntegers(Type type) {
  return isa<IntegerType>(getElementTypeOrSelf(type));
}

/// Less, equal, greater or unordered as NaN is.
enum class Order { Less, Equal, Greater, Unordered };

bool holds(ComparisonDirection direction, Order order) {
  switch (direction) {
  case ComparisonDirection::EQ:
    return order == Order::Equal;
  case ComparisonDirection::NE:
    return order != Order::Equal;
  case ComparisonDirection::LT:
    return order == Order::Less;
  case ComparisonDirection::LE:
    return order == Order::Less || order == Order::Equal;
  case ComparisonDirection::GT:
    return order == Order::Greater;
  case ComparisonDirection::GE:
    return order == Order::Greater || order == Order::Equal;
  }
  llvm_unreachable("unknown comparison direction");
}

Order orderOf(const APInt &a, const APInt &b, bool isUnsigned) {
  if (a == b)
    return Order::Equal;
  return (isUnsigned ? a.ult(b) : a.slt(b)) ? Order::Less : Order::Greater;
}

Order orderOf(const APFloat &a, const APFloat &b) {
  switch (a.compare(b)) {
  case APFloat::cmpLessThan:
    return Order::Less;
  case APFloat::cmpEqual:
    return Order::Equal;
  case APFloat::cmpGreaterThan:
    return Order::Greater;
  case APFloat::cmpUnordered:
    return Order::Unordered;
  }
  llvm_unreachable("unknown float order");
}

/// One element in another integer or float type; nothing if it does not fit.
std::optional<APInt> convertToInteger(const APFloat &value, IntegerType type) {
  if (type.isInteger(1))
    return APInt(1, !value.isZero());
  APSInt result(type.getWidth(), type.isUnsigned());
  bool isExact;
  APFloat::opStatus status =
      value.convertToInteger(result, APFloat::rmTowardZero, &isExact);
  if (status & APFloat::opInvalidOp)
    return std::nullopt;
  return result;
}

APInt convertToInteger(const APInt &value, Type from, IntegerType to) {
  if (to.isInteger(1))
    return APInt(1, !value.isZero());
  return isUnsignedElement(from) ? value.zextOrTrunc(to.getWidth())
                                 : value.sextOrTrunc(to.getWidth());
}

APFloat convertToFloat(APFloat value, FloatType type) {
  bool losesInformation;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInformation);
  return value;
}

APFloat convertToFloat(const APInt &value, Type from, FloatType to) {
  APFloat result(to.getFloatSemantics());
  result.convertFromAPInt(value, !isUnsignedElement(from),
                          APFloat::rmNearestTiesToEven);
  return result;
}

} // namespace

DenseElementsAttr shardsmith::stablehlo::getFoldable(Attribute attribute) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!elements ||
      !isa<IntegerType, FloatType>(elements.getType().getElementType()) ||
      (!elements.isSplat() && elements.getNumElements() > maxFoldedElements))
    return nullptr;
  return elements;
}

bool shardsmith::stablehlo::isFoldable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         tensor.getNumElements() <= maxFoldedElements;
}

//===----------------------------------------------------------------------===//
// Arithmetic. Sums and products of booleans are or and and.
//===----------------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // Not for floats: -0 + 0 is 0.
  if (holdsIntegers(getType()) && isSplatOf(adaptor.getRhs(), 0))
    return getLhs();
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APInt &a, const APInt &b, bool) {
        return a.getBitWidth() == 1 ? a | b : a + b;
      },
      [](const APFloat &a, const APFloat &b) { return a + b; });
}

OpFoldResult SubtractOp::fold(FoldAdaptor adaptor) {
  auto zero = dyn_cast_or_null<SplatElementsAttr>(adaptor.getRhs());
  if (isSplatOf(zero, 0) &&
      (holdsIntegers(getType()) || !zero.getSplatValue<APFloat>().isNegative()))
    return getLhs();
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APInt &a, const APInt &b, bool) { return a - b; },
      [](const APFloat &a, const APFloat &b) { return a - b; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 1))
    return getLhs();
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APInt &a, const APInt &b, bool) { return a * b; },
      [](const APFloat &a, const APFloat &b) { return a * b; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 1))
    return getLhs();
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APInt &a, const APInt &b,
         bool isUnsigned) -> std::optional<APInt> {
        if (b.isZero() || (!isUnsigned && b.isAllOnes()))
          return std::nullopt;
        return isUnsigned ? a.udiv(b) : a.sdiv(b);
      },
      [](const APFloat &a, const APFloat &b) { return a / b; });
}

OpFoldResult RemOp::fold(FoldAdaptor adaptor) {
  return foldBinary(adaptor.getLhs(), adaptor.getRhs(), getType(),
                    [](const APInt &a, const APInt &b,
                       bool isUnsigned) -> std::optional<APInt> {
                      if (b.isZero() || (!isUnsigned && b.isAllOnes()))
                        return std::nullopt;
                      return isUnsigned ? a.urem(b) : a.srem(b);
                    });
}

OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APInt &a, const APInt &b, bool isUnsigned) {
        return orderOf(a, b, isUnsigned) == Order::Less ? b : a;
      },
      [](const APFloat &a, const APFloat &b) { return maximum(a, b); });
}

OpFoldResult MinOp::fold(FoldAdaptor adaptor) {
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APInt &a, const APInt &b, bool isUnsigned) {
        return orderOf(a, b, isUnsigned) == Order::Less ? a : b;
      },
      [](const APFloat &a, const APFloat &b) { return minimum(a, b); });
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), -1))
    return getLhs();
  return foldBinary(adaptor.getLhs(), adaptor.getRhs(), getType(),
                    [](const APInt &a, const APInt &b, bool) { return a & b; });
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 0))
    return getLhs();
  return foldBinary(adaptor.getLhs(), adaptor.getRhs(), getType(),
                    [](const APInt &a, const APInt &b, bool) { return a | b; });
}

OpFoldResult XorOp::fold(FoldAdaptor adaptor) {
  return foldBinary(adaptor.getLhs(), adaptor.getRhs(), getType(),
                    [](const APInt &a, const APInt &b, bool) { return a ^ b; });
}

// Shifting by the width or more shifts all bits out.
OpFoldResult ShiftLeftOp::fold(FoldAdaptor adaptor) {
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APInt &a, const APInt &b, bool) { return a.shl(b); });
}

OpFoldResult ShiftRightLogicalOp::fold(FoldAdaptor adaptor) {
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APInt &a, const APInt &b, bool) { return a.lshr(b); });
}

OpFoldResult ShiftRightArithmeticOp::fold(FoldAdaptor adaptor) {
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APInt &a, const APInt &b, bool) { return a.ashr(b); });
}

//===----------------------------------------------------------------------===//
// Comparison, selection, conversion
//===----------------------------------------------------------------------===//

OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  DenseElementsAttr lhs = getFoldable(adaptor.getLhs()),
                    rhs = getFoldable(adaptor.getRhs());
  if (!lhs || !rhs || lhs.getType() != rhs.getType() ||
      getCompareType() == ComparisonType::TOTALORDER)
    return {};
  ComparisonDirection direction = getComparisonDirection();
  if (isa<FloatType>(lhs.getElementType()))
    return combine<bool, APFloat>(lhs, rhs, getType(),
                                  [&](const APFloat &a, const APFloat &b) {
                                    return holds(direction, orderOf(a, b));
                                  });
  bool isUnsigned = isUnsignedElement(lhs.getElementType());
  return combine<bool, APInt>(
      lhs, rhs, getType(), [&](const APInt &a, const APInt &b) {
        return holds(direction, orderOf(a, b, isUnsigned));
      });
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse())
    return getOnTrue();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getPred()))
    return splat.getSplatValue<bool>() ? getOnTrue() : getOnFalse();
  return {};
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  DenseElementsAttr operand = getFoldable(adaptor.getOperand());
  auto type = cast<ShapedType>(getType());
  if (!operand)
    return {};
  Type from = operand.getElementType();
  auto toInteger = dyn_cast<IntegerType>(type.getElementType());
  auto toFloat = dyn_cast<FloatType>(type.getElementType());
  if (!toInteger && !toFloat)
    return {};

  // `combine` with itself visits each element, or a splat's only one.
  if (isa<FloatType>(from) && toInteger)
    return combine<APInt, APFloat>(operand, operand, type,
                                   [&](const APFloat &value, const APFloat &) {
                                     return convertToInteger(value, toInteger);
                                   });
  if (isa<FloatType>(from))
    return combine<APFloat, APFloat>(
        operand, operand, type, [&](const APFloat &value, const APFloat &) {
          return convertToFloat(value, toFloat);
        });
  if (toInteger)
    return combine<APInt, APInt>(
        operand, operand, type, [&](const APInt &value, const APInt &) {
          return convertToInteger(value, from, toInteger);
        });
  return combine<APFloat, APInt>(operand, operand, type,
                                 [&](const APInt &value, const APInt &) {
                                   return convertToFloat(value, from, toFloat);
                                 });
}
