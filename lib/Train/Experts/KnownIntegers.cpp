// SPDX-License-Identifier: Apache-2.0

#include "KnownIntegers.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "llvm/ADT/TypeSwitch.h"

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

Integers iotaOf(RankedTensorType type, int64_t dimension) {
  int64_t inner = 1;
  for (int64_t size : type.getShape().drop_front(dimension + 1))
    inner *= size;
  Integers values(size_t(type.getNumElements()));
  for (auto [position, value] : llvm::enumerate(values))
    value = int64_t(position) / inner % type.getDimSize(dimension);
  return values;
}

Integers broadcast(stablehlo::BroadcastInDimOp op, const Integers &from) {
  RankedTensorType type = op.getType();
  auto source = cast<RankedTensorType>(op.getOperand().getType());
  SmallVector<int64_t> strides(type.getRank(), 0);
  int64_t stride = 1;
  for (int64_t dim = source.getRank() - 1; dim >= 0; --dim) {
    if (source.getDimSize(dim) != 1)
      strides[op.getBroadcastDimensions()[dim]] = stride;
    stride *= source.getDimSize(dim);
  }
  Integers values(size_t(type.getNumElements()));
  for (auto [position, value] : llvm::enumerate(values)) {
    int64_t rest = int64_t(position), place = 0;
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      place += rest % type.getDimSize(dim) * strides[dim];
      rest /= type.getDimSize(dim);
    }
    value = from[size_t(place)];
  }
  return values;
}

} // namespace

const std::vector<int64_t> *KnownIntegers::of(Value value) {
  void *key = value.getAsOpaquePointer();
  auto found = known.find(key);
  if (found == known.end()) {
    std::optional<Integers> computed = compute(value);
    found = known.try_emplace(key, std::move(computed)).first;
  }
  return found->second ? &*found->second : nullptr;
}

std::optional<Integers> KnownIntegers::compute(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || !type || !type.hasStaticShape() ||
      type.getNumElements() > mostElements ||
      !isa<IntegerType>(type.getElementType()) ||
      type.getElementType().isUnsignedInteger(64))
    return std::nullopt;
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements)
      return std::nullopt;
    Integers values;
    for (const APInt &each : elements.getValues<APInt>())
      values.push_back(wrapped(
          type, int64_t(each.getActiveBits() <= 64 ? each.getZExtValue() : 0)));
    return values;
  }
  if (auto iota = dyn_cast<stablehlo::IotaOp>(op))
    return iotaOf(type, int64_t(iota.getIotaDimension()));
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return std::nullopt;
  SmallVector<const Integers *> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(of(operand));
    if (!operands.back())
      return std::nullopt;
  }
  if (auto broadcastOp = dyn_cast<stablehlo::BroadcastInDimOp>(op))
    return broadcast(broadcastOp, *operands[0]);
  if (isa<stablehlo::ReshapeOp>(op))
    return *operands[0];
  auto at = [](const Integers &values, size_t position) {
    return values[values.size() == 1 ? 0 : position];
  };
  Integers values(size_t(type.getNumElements()));
  for (auto [position, result] : llvm::enumerate(values)) {
    if (isa<stablehlo::ConvertOp>(op)) {
      result = wrapped(type, at(*operands[0], position));
    } else if (isa<stablehlo::SignOp>(op)) {
      int64_t from = at(*operands[0], position);
      result = (from > 0) - (from < 0);
    } else if (isa<stablehlo::NegOp>(op)) {
      result = wrapped(type, int64_t(-uint64_t(at(*operands[0], position))));
    } else if (isa<stablehlo::NotOp>(op)) {
      result = wrapped(type, ~at(*operands[0], position));
    } else if (isa<stablehlo::SelectOp>(op)) {
      result = at(*operands[0], position) ? at(*operands[1], position)
                                          : at(*operands[2], position);
    } else if (operands.size() == 2) {
      std::optional<int64_t> combined =
          combine(op, at(*operands[0], position), at(*operands[1], position));
      if (!combined)
        return std::nullopt;
      result = wrapped(type, *combined);
    } else {
      return std::nullopt;
    }
  }
  return values;
}

} // namespace shardsmith
