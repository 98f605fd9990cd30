// SPDX-License-Identifier: Apache-2.0

#include "KnownIntegers.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace shardsmith {
namespace {

constexpr int64_t mostElements = int64_t(1) << 24;

using Integers = std::vector<int64_t>;

/// The value of the low bits of an integer of this type.
int64_t wrapped(Type type, int64_t value) {
  auto integer = cast<IntegerType>(getElementTypeOrSelf(type));
  unsigned width = integer.getWidth();
  if (width >= 64)
    return value;
  uint64_t bits = uint64_t(value) & ((uint64_t(1) << width) - 1);
  bool isNegative =
      width > 1 && !integer.isUnsigned() && (bits >> (width - 1) & 1) != 0;
  return isNegative ? int64_t(bits) - (int64_t(1) << width) : int64_t(bits);
}

std::optional<int64_t> combine(Operation *op, int64_t a, int64_t b) {
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case(
          [&](stablehlo::AddOp) { return int64_t(uint64_t(a) + uint64_t(b)); })
      .Case([&](stablehlo::SubtractOp) {
        return int64_t(uint64_t(a) - uint64_t(b));
      })
      .Case(
          [&](stablehlo::MulOp) { return int64_t(uint64_t(a) * uint64_t(b)); })
      .Case([&](stablehlo::DivOp) -> std::optional<int64_t> {
        if (b == 0 || b == -1)
          return std::nullopt;
        return a / b;
      })
      .Case([&](stablehlo::RemOp) -> std::optional<int64_t> {
        if (b == 0 || b == -1)
          return std::nullopt;
        return a % b;
      })
      .Case([&](stablehlo::MaxOp) { return std::max(a, b); })
      .Case([&](stablehlo::MinOp) { return std::min(a, b); })
      .Case([&](stablehlo::AndOp) { return a & b; })
      .Case([&](stablehlo::OrOp) { return a | b; })
      .Case([&](stablehlo::XorOp) { return a ^ b; })
      .Case([&](stablehlo::CompareOp compare) {
        using enum stablehlo::ComparisonDirection;
        switch (compare.getComparisonDirection()) {
        case EQ:
          return int64_t(a == b);
        case NE:
          return int64_t(a != b);
        case GE:
          return int64_t(a >= b);
        case GT:
          return int64_t(a > b);
        case LE:
          return int64_t(a <= b);
        case LT:
          return int64_t(a < b);
        }
        llvm_unreachable("all directions are handled");
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// The digit of a dimension's index, if the type has room for it.
std::optional<DigitIntegers> iotaOf(RankedTensorType type, int64_t dimension) {
  int64_t inner = 1, size = type.getDimSize(dimension);
  for (int64_t each : type.getShape().drop_front(dimension + 1))
    inner *= each;
  if (wrapped(type, size - 1) != size - 1)
    return std::nullopt;
  return DigitIntegers{inner, size};
}

SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

/// A digit that is part of one dimension is part of that dimension's image.
std::optional<DigitIntegers> broadcast(stablehlo::BroadcastInDimOp op,
                                       const DigitIntegers &from) {
  if (from.isConstant())
    return DigitIntegers::of({from.at(0)});
  RankedTensorType type = op.getType();
  auto source = cast<RankedTensorType>(op.getOperand().getType());
  SmallVector<int64_t> strides = stridesOf(type.getShape());
  SmallVector<int64_t> sourceStrides = stridesOf(source.getShape());
  for (int64_t dim = 0; dim < source.getRank(); ++dim) {
    int64_t to = op.getBroadcastDimensions()[dim], inner = sourceStrides[dim];
    if (from.inner % inner != 0 ||
        inner * source.getDimSize(dim) % (from.inner * from.size) != 0)
      continue;
    DigitIntegers result = from;
    result.inner = from.inner / inner * strides[to];
    return result;
  }
  if (type.getNumElements() > mostElements)
    return std::nullopt;
  Integers values(size_t(type.getNumElements()));
  for (auto [position, value] : llvm::enumerate(values)) {
    int64_t place = 0;
    for (int64_t dim = 0; dim < source.getRank(); ++dim) {
      int64_t to = op.getBroadcastDimensions()[dim];
      if (source.getDimSize(dim) != 1)
        place += int64_t(position) / strides[to] % type.getDimSize(to) *
                 sourceStrides[dim];
    }
    value = from.at(place);
  }
  return DigitIntegers::of(std::move(values));
}

/// Quotient or remainder of a digit by a number that divides its size.
std::optional<DigitIntegers> partOfDigit(Operation *op,
                                         ArrayRef<const DigitIntegers *> from) {
  if (!isa<stablehlo::DivOp, stablehlo::RemOp>(op) || from[0]->values ||
      !from[1]->isConstant())
    return std::nullopt;
  int64_t divisor = from[1]->at(0), size = from[0]->size;
  if (divisor < 1 || size % divisor != 0)
    return std::nullopt;
  if (isa<stablehlo::RemOp>(op))
    return DigitIntegers{from[0]->inner, divisor};
  return DigitIntegers{from[0]->inner * divisor, size / divisor};
}

/// The digit that decides about all of these.
DigitIntegers commonDigit(ArrayRef<const DigitIntegers *> all) {
  DigitIntegers common;
  for (const DigitIntegers *each : all) {
    if (each->isConstant())
      continue;
    if (common.isConstant()) {
      common = {each->inner, each->size};
      continue;
    }
    int64_t end =
        std::lcm(common.inner * common.size, each->inner * each->size);
    common.inner = std::gcd(common.inner, each->inner);
    common.size = end / common.inner;
  }
  return common;
}

} // namespace

DigitIntegers DigitIntegers::of(Integers values) {
  DigitIntegers result{1, int64_t(values.size())};
  result.values = std::make_shared<const Integers>(std::move(values));
  return result;
}

bool KnownIntegers::isDigit(Value value, int64_t inner, int64_t size) {
  const DigitIntegers *integers = of(value);
  if (!integers)
    return false;
  DigitIntegers wanted{inner, size};
  if (!integers->values && integers->inner == inner && integers->size == size)
    return true;
  DigitIntegers common = commonDigit({integers, &wanted});
  if (common.size > mostElements)
    return false;
  for (int64_t place = 0; place < common.size; ++place)
    if (integers->at(place * common.inner) != wanted.at(place * common.inner))
      return false;
  return true;
}

const DigitIntegers *KnownIntegers::of(Value value) {
  void *key = value.getAsOpaquePointer();
  auto found = known.find(key);
  if (found == known.end()) {
    std::optional<DigitIntegers> computed = compute(value);
    found = known.try_emplace(key, std::move(computed)).first;
  }
  return found->second ? &*found->second : nullptr;
}

std::optional<DigitIntegers> KnownIntegers::compute(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || !type || !type.hasStaticShape() || type.getNumElements() == 0 ||
      !isa<IntegerType>(type.getElementType()) ||
      type.getElementType().isUnsignedInteger(64))
    return std::nullopt;
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements ||
        (!elements.isSplat() && type.getNumElements() > mostElements))
      return std::nullopt;
    auto numberOf = [&](const APInt &each) {
      return wrapped(
          type, int64_t(each.getActiveBits() <= 64 ? each.getZExtValue() : 0));
    };
    if (elements.isSplat())
      return DigitIntegers::of({numberOf(elements.getSplatValue<APInt>())});
    Integers values;
    for (const APInt &each : elements.getValues<APInt>())
      values.push_back(numberOf(each));
    return DigitIntegers::of(std::move(values));
  }
  if (auto iota = dyn_cast<stablehlo::IotaOp>(op))
    return iotaOf(type, int64_t(iota.getIotaDimension()));
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return std::nullopt;
  SmallVector<const DigitIntegers *> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(of(operand));
    if (!operands.back())
      return std::nullopt;
  }
  if (auto broadcastOp = dyn_cast<stablehlo::BroadcastInDimOp>(op))
    return broadcast(broadcastOp, *operands[0]);
  if (isa<stablehlo::ReshapeOp>(op))
    return *operands[0];
  return computeEach(op, type, operands);
}

/// An op that does the same with every element.
std::optional<DigitIntegers>
KnownIntegers::computeEach(Operation *op, RankedTensorType type,
                           ArrayRef<const DigitIntegers *> operands) {
  if (operands.size() == 2)
    if (std::optional<DigitIntegers> part = partOfDigit(op, operands))
      return part;
  int64_t largest = operands.empty() ? 0 : operands[0]->size - 1;
  if (isa<stablehlo::ConvertOp>(op) && !operands[0]->values &&
      wrapped(type, largest) == largest)
    return *operands[0];
  DigitIntegers result = commonDigit(operands);
  if (result.size > mostElements)
    return std::nullopt;
  Integers values(static_cast<size_t>(result.size));
  for (auto [number, value] : llvm::enumerate(values)) {
    int64_t place = int64_t(number) * result.inner;
    if (isa<stablehlo::ConvertOp>(op)) {
      value = wrapped(type, operands[0]->at(place));
    } else if (isa<stablehlo::SignOp>(op)) {
      int64_t from = operands[0]->at(place);
      value = (from > 0) - (from < 0);
    } else if (isa<stablehlo::NegOp>(op)) {
      value = wrapped(type, int64_t(-uint64_t(operands[0]->at(place))));
    } else if (isa<stablehlo::NotOp>(op)) {
      value = wrapped(type, ~operands[0]->at(place));
    } else if (isa<stablehlo::SelectOp>(op)) {
      value = operands[operands[0]->at(place) ? 1 : 2]->at(place);
    } else if (operands.size() == 2) {
      std::optional<int64_t> combined =
          combine(op, operands[0]->at(place), operands[1]->at(place));
      if (!combined)
        return std::nullopt;
      value = wrapped(type, *combined);
    } else {
      return std::nullopt;
    }
  }
  result.values = std::make_shared<const Integers>(std::move(values));
  return result;
}

} // namespace shardsmith
