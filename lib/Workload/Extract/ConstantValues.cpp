// SPDX-License-Identifier: Apache-2.0

#include "ConstantValues.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace shardsmith::workload {
namespace {

using Position = SmallVector<int64_t, 4>;
using Element = std::optional<double>;

/// Masks are a few ops deep.
constexpr unsigned deepest = 64;

Element constantAt(stablehlo::ConstantOp op, ArrayRef<int64_t> position) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return std::nullopt;
  int64_t index = 0;
  if (!elements.isSplat())
    for (auto [size, at] :
         llvm::zip_equal(elements.getType().getShape(), position))
      index = index * size + at;
  if (isa<FloatType>(elements.getElementType()))
    return (elements.value_begin<APFloat>() + index)
        .operator*()
        .convertToDouble();
  if (!isa<IntegerType>(elements.getElementType()))
    return std::nullopt;
  APInt value = *(elements.value_begin<APInt>() + index);
  return elements.getElementType().isInteger(1) ? double(value.getBoolValue())
                                                : value.signedRoundToDouble();
}

bool compares(stablehlo::ComparisonDirection direction, double a, double b) {
  switch (direction) {
  case stablehlo::ComparisonDirection::EQ:
    return a == b;
  case stablehlo::ComparisonDirection::NE:
    return a != b;
  case stablehlo::ComparisonDirection::GE:
    return a >= b;
  case stablehlo::ComparisonDirection::GT:
    return a > b;
  case stablehlo::ComparisonDirection::LE:
    return a <= b;
  case stablehlo::ComparisonDirection::LT:
    return a < b;
  }
  return false;
}

bool isArithmetic(Operation *op) {
  return isa<stablehlo::AddOp, stablehlo::ConvertOp, stablehlo::MaxOp,
             stablehlo::MinOp, stablehlo::MulOp, stablehlo::NegOp,
             stablehlo::NotOp, stablehlo::SubtractOp>(op);
}

/// `b` is unused by ops of one operand.
double compute(Operation *op, double a, double b) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<stablehlo::AddOp>([&](auto) { return a + b; })
      .Case<stablehlo::MaxOp>([&](auto) { return std::max(a, b); })
      .Case<stablehlo::MinOp>([&](auto) { return std::min(a, b); })
      .Case<stablehlo::MulOp>([&](auto) { return a * b; })
      .Case<stablehlo::NegOp>([&](auto) { return -a; })
      .Case<stablehlo::NotOp>([&](auto) { return 1 - a; })
      .Case<stablehlo::SubtractOp>([&](auto) { return a - b; })
      .Default([&](Operation *) { return a; });
}

class Evaluator {
public:
  explicit Evaluator(const ModelGraph &graph) : graph(graph) {}

  Element at(Value value, Position position, unsigned depth) {
    value = graph.callerValue(value);
    Operation *op = value.getDefiningOp();
    if (!op || depth == deepest)
      return std::nullopt;
    auto operand = [&](unsigned index, Position where) {
      return at(op->getOperand(index), std::move(where), depth + 1);
    };
    return llvm::TypeSwitch<Operation *, Element>(op)
        .Case<stablehlo::ConstantOp>(
            [&](auto constant) { return constantAt(constant, position); })
        .Case<stablehlo::IotaOp>([&](auto iota) -> Element {
          return double(position[iota.getIotaDimension()]);
        })
        .Case<stablehlo::BroadcastInDimOp>([&](auto broadcast) {
          auto type = cast<RankedTensorType>(broadcast.getOperand().getType());
          Position inner;
          for (auto [dim, target] :
               llvm::enumerate(broadcast.getBroadcastDimensions()))
            inner.push_back(type.getDimSize(dim) == 1 ? 0 : position[target]);
          return operand(0, inner);
        })
        .Case<stablehlo::TransposeOp>([&](auto transpose) {
          Position inner(position.size());
          for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
            inner[from] = position[to];
          return operand(0, inner);
        })
        .Case<stablehlo::ReshapeOp>([&](auto reshape) {
          int64_t index = 0;
          for (auto [size, at] :
               llvm::zip_equal(reshape.getType().getShape(), position))
            index = index * size + at;
          auto type = cast<RankedTensorType>(reshape.getOperand().getType());
          Position inner(type.getRank());
          for (int64_t dim = type.getRank(); dim-- > 0;) {
            inner[dim] = index % type.getDimSize(dim);
            index /= type.getDimSize(dim);
          }
          return operand(0, inner);
        })
        .Case<stablehlo::SliceOp>([&](auto slice) {
          Position inner;
          for (auto [dim, at] : llvm::enumerate(position))
            inner.push_back(slice.getStartIndices()[dim] +
                            at * slice.getStrides()[dim]);
          return operand(0, inner);
        })
        .Case<stablehlo::SelectOp>([&](auto select) -> Element {
          bool isScalar =
              cast<RankedTensorType>(select.getPred().getType()).getRank() == 0;
          Element pred = operand(0, isScalar ? Position{} : position);
          if (!pred)
            return std::nullopt;
          return operand(*pred != 0 ? 1 : 2, position);
        })
        .Case<stablehlo::CompareOp>([&](auto compare) -> Element {
          Element a = operand(0, position), b = operand(1, position);
          if (!a || !b)
            return std::nullopt;
          return compares(compare.getComparisonDirection(), *a, *b);
        })
        .Case<stablehlo::AndOp, stablehlo::OrOp>([&](Operation *logic) {
          Element a = operand(0, position), b = operand(1, position);
          double decisive = isa<stablehlo::OrOp>(logic);
          if (!getElementTypeOrSelf(logic->getResult(0).getType()).isInteger(1))
            return Element();
          if ((a && *a == decisive) || (b && *b == decisive))
            return Element(decisive);
          return a && b ? Element(1 - decisive) : Element();
        })
        .Default([&](Operation *other) {
          return arithmetic(other, position, depth);
        });
  }

private:
  Element arithmetic(Operation *op, const Position &position, unsigned depth) {
    if (!isArithmetic(op))
      return std::nullopt;
    Element a = at(op->getOperand(0), position, depth + 1), b = a;
    if (op->getNumOperands() == 2)
      b = at(op->getOperand(1), position, depth + 1);
    if (!a || !b)
      return std::nullopt;
    return compute(op, *a, *b);
  }

  const ModelGraph &graph;
};

} // namespace

std::optional<double> elementAt(const ModelGraph &graph, Value value,
                                ArrayRef<int64_t> position) {
  return Evaluator(graph).at(value, Position(position), 0);
}

} // namespace shardsmith::workload
