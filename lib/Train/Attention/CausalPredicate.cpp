// SPDX-License-Identifier: Apache-2.0
//
// Positions are affine in one index of the tensor that asks, and a comparison
// of two of them says that an affine form is not negative:
//
//     iota 0 + 1 > iota 1      q + 1 − k − 1 ≥ 0      q − k ≥ 0
//
// which is the causal mask if and only if the form is q − k.

#include "CausalPredicate.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "mlir/IR/Matchers.h"

#include <map>
#include <optional>

using namespace mlir;

namespace shardsmith {
namespace {

/// `constant` + Σ coefficient · index, by dimension of the asking tensor.
struct Affine {
  std::map<int64_t, int64_t> coefficients;
  int64_t constant = 0;

  static std::optional<Affine> sum(const Affine &a, const Affine &b,
                                   int64_t factor) {
    Affine result = a;
    int64_t term = 0;
    if (llvm::MulOverflow(b.constant, factor, term) ||
        llvm::AddOverflow(a.constant, term, result.constant))
      return std::nullopt;
    for (auto [dim, coefficient] : b.coefficients)
      result.coefficients[dim] += coefficient * factor;
    std::erase_if(result.coefficients,
                  [](const auto &entry) { return entry.second == 0; });
    return result;
  }
};

/// The place of each dimension of a value in the asking tensor.
using Dimensions = SmallVector<int64_t>;

/// Positions are far from where narrower integers wrap.
constexpr int64_t mostOffset = int64_t(1) << 30;

std::optional<Affine> affineOf(Value value, const Dimensions &dimensions) {
  DenseIntElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat()) {
    Affine result;
    APInt number = elements.getSplatValue<APInt>();
    if (number.getBitWidth() < 32 || number.getSignificantBits() > 31)
      return std::nullopt;
    result.constant = number.getSExtValue();
    return result;
  }
  Operation *op = value.getDefiningOp();
  auto type = cast<RankedTensorType>(value.getType());
  if (!op || !type.getElementType().isInteger() ||
      type.getElementTypeBitWidth() < 32)
    return std::nullopt;
  if (auto iota = dyn_cast<stablehlo::IotaOp>(op)) {
    if (type.getDimSize(iota.getIotaDimension()) > mostOffset)
      return std::nullopt;
    Affine result;
    if (int64_t dim = dimensions[iota.getIotaDimension()]; dim >= 0)
      result.coefficients[dim] = 1;
    return result;
  }
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    Dimensions inner;
    auto operand = cast<RankedTensorType>(broadcast.getOperand().getType());
    for (auto [index, dim] :
         llvm::enumerate(broadcast.getBroadcastDimensions()))
      // A dimension of one position has no index that counts.
      inner.push_back(operand.getDimSize(index) == type.getDimSize(dim)
                          ? dimensions[dim]
                          : -1);
    return affineOf(broadcast.getOperand(), inner);
  }
  if (isa<stablehlo::AddOp, stablehlo::SubtractOp>(op)) {
    auto left = affineOf(op->getOperand(0), dimensions);
    auto right = affineOf(op->getOperand(1), dimensions);
    if (!left || !right)
      return std::nullopt;
    return Affine::sum(*left, *right, isa<stablehlo::AddOp>(op) ? 1 : -1);
  }
  return std::nullopt;
}

/// The form that is not negative where the booleans hold.
std::optional<Affine> formOf(Value predicate, const Dimensions &dimensions) {
  Operation *op = predicate.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto negated = [](std::optional<Affine> form) -> std::optional<Affine> {
    if (!form)
      return std::nullopt;
    Affine minusOne;
    minusOne.constant = -1;
    return Affine::sum(minusOne, *form, -1);
  };
  if (auto compare = dyn_cast<stablehlo::CompareOp>(op)) {
    auto left = affineOf(compare.getLhs(), dimensions);
    auto right = affineOf(compare.getRhs(), dimensions);
    if (!left || !right ||
        compare.getCompareType() == stablehlo::ComparisonType::UNSIGNED)
      return std::nullopt;
    using enum stablehlo::ComparisonDirection;
    switch (compare.getComparisonDirection()) {
    case GE:
      return Affine::sum(*left, *right, -1);
    case LE:
      return Affine::sum(*right, *left, -1);
    case LT:
      return negated(Affine::sum(*left, *right, -1));
    case GT:
      return negated(Affine::sum(*right, *left, -1));
    default:
      return std::nullopt;
    }
  }
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    Dimensions inner;
    auto operand = cast<RankedTensorType>(broadcast.getOperand().getType());
    auto type = cast<RankedTensorType>(predicate.getType());
    for (auto [index, dim] :
         llvm::enumerate(broadcast.getBroadcastDimensions()))
      inner.push_back(operand.getDimSize(index) == type.getDimSize(dim)
                          ? dimensions[dim]
                          : -1);
    return formOf(broadcast.getOperand(), inner);
  }
  if (isa<stablehlo::NotOp>(op))
    return negated(formOf(op->getOperand(0), dimensions));
  if (auto select = dyn_cast<stablehlo::SelectOp>(op)) {
    auto splat = [](Value value) -> std::optional<bool> {
      while (auto broadcast =
                 value.getDefiningOp<stablehlo::BroadcastInDimOp>())
        value = broadcast.getOperand();
      DenseIntElementsAttr elements;
      if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
        return std::nullopt;
      return elements.getSplatValue<APInt>().getBoolValue();
    };
    auto onTrue = splat(select->getOperand(1)),
         onFalse = splat(select->getOperand(2));
    if (!onTrue || !onFalse || *onTrue == *onFalse ||
        select.getPred().getType() != predicate.getType())
      return std::nullopt;
    auto form = formOf(select.getPred(), dimensions);
    return *onTrue ? form : negated(form);
  }
  return std::nullopt;
}

} // namespace

bool isCausalPredicate(Value predicate, int64_t query, int64_t key) {
  auto rank = cast<RankedTensorType>(predicate.getType()).getRank();
  Dimensions identity = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::optional<Affine> form = formOf(predicate, identity);
  return form && form->constant == 0 &&
         form->coefficients ==
             std::map<int64_t, int64_t>{{query, 1}, {key, -1}};
}

} // namespace shardsmith
