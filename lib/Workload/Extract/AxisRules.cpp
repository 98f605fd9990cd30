// SPDX-License-Identifier: Apache-2.0

#include "AxisRules.h"
#include "Fusible.h"

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/StableHLO/Positions.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interfaces/FactorRuleModel.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardsmith::workload {
namespace {

using shardsmith::FactorRule;
using Kind = shardsmith::FactorKind;

/// True if the slice and all others of its operand take one of equal parts of
/// a dimension, or all of it.
bool takesEqualPart(stablehlo::SliceOp op, unsigned dim) {
  int64_t size = shapeOf(op.getOperand())[dim], length = shapeOf(op)[dim];
  if (size % length != 0)
    return false;
  return llvm::all_of(op.getOperand().getUsers(), [&](Operation *user) {
    auto other = dyn_cast<stablehlo::SliceOp>(user);
    if (!other || shapeOf(other)[dim] == size)
      return true;
    return shapeOf(other)[dim] == length && other.getStrides()[dim] == 1 &&
           other.getStartIndices()[dim] % length == 0;
  });
}

FactorRule sliceRule(stablehlo::SliceOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getOperand()), to = shapeOf(op);
  FactorRuleBuilder builder(1, 1);
  for (unsigned dim = 0; dim < from.size(); ++dim) {
    bool isDense = op.getStrides()[dim] == 1;
    if (from[dim] == to[dim]) {
      builder.add(from[dim], {{0, dim}}, {{0, dim}});
    } else if (takesEqualPart(op, dim)) {
      builder.add(from[dim] / to[dim], {{0, dim}}, {}, Kind::NeedReplication);
      builder.add(to[dim], {{0, dim}}, {{0, dim}});
    } else if (isDense && 2 * to[dim] > from[dim]) {
      builder.add(to[dim], {{0, dim}}, {{0, dim}});
    } else {
      builder.add(from[dim], {{0, dim}}, {}, Kind::NeedReplication);
      builder.add(to[dim], {}, {{0, dim}}, Kind::NeedReplication);
    }
  }
  builder.addLinearSet({0});
  return builder.build();
}

FactorRule equalConcatenateRule(stablehlo::ConcatenateOp op) {
  unsigned count = op->getNumOperands(), joined = op.getDimension();
  FactorRuleBuilder builder(count, 1);
  SmallVector<unsigned> all = llvm::to_vector(llvm::seq<unsigned>(0, count));
  ArrayRef<int64_t> part = shapeOf(op->getOperand(0));
  for (unsigned dim = 0; dim < part.size(); ++dim) {
    if (dim == joined)
      builder.add(count, {}, {{0, dim}}, Kind::NeedReplication);
    SmallVector<FactorRuleBuilder::Place> places;
    for (unsigned operand : all)
      places.push_back({operand, dim});
    builder.add(part[dim], places, {{0, dim}});
  }
  builder.addLinearSet(all);
  return builder.build();
}

/// A convolution as a product: rows are places of the result, columns output
/// features, and each sums over input features and the kernel's window. Places
/// and windows must be whole, and so must features in groups, of which a
/// result reads one group only.
///
///   ([b, y, f], [w, f, o])->([b, y, o])  reduction={f}
FactorRule convolutionRule(stablehlo::ConvolutionOp op) {
  auto numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs()),
                    out = shapeOf(op);
  using Places = SmallVector<FactorRuleBuilder::Place, 2>;
  FactorRuleBuilder builder(2, 1);
  /// Of the image a shard reads as many elements as the factor has.
  auto inImage = [&](unsigned dim, int64_t size) {
    return lhs[dim] < size ? Places{} : Places{{0, dim}};
  };
  unsigned batch = numbers.getOutputBatchDimension();
  builder.add(out[batch], inImage(numbers.getInputBatchDimension(), out[batch]),
              {{0, batch}},
              op.getBatchGroupCount() == 1 ? Kind::PassThrough
                                           : Kind::NeedReplication);
  for (auto [from, to] : llvm::zip_equal(numbers.getInputSpatialDimensions(),
                                         numbers.getOutputSpatialDimensions()))
    builder.add(out[to], inImage(from, out[to]), {{0, unsigned(to)}},
                Kind::NeedReplication);
  bool isGrouped =
      op.getBatchGroupCount() != 1 || op.getFeatureGroupCount() != 1;
  unsigned made = numbers.getKernelOutputFeatureDimension(),
           read = numbers.getKernelInputFeatureDimension();
  builder.add(rhs[made], {{1, made}},
              {{0, unsigned(numbers.getOutputFeatureDimension())}},
              isGrouped ? Kind::NeedReplication : Kind::PassThrough);
  Places features = inImage(numbers.getInputFeatureDimension(), rhs[read]);
  features.push_back({1, read});
  builder.add(rhs[read], features, {},
              isGrouped ? Kind::NeedReplication : Kind::Reduction);
  for (int64_t dim : numbers.getKernelSpatialDimensions())
    builder.add(rhs[dim], {{1, unsigned(dim)}}, {}, Kind::NeedReplication);
  builder.addLinearSet({0});
  builder.addLinearSet({1});
  return builder.build();
}

/// [m, k] [g, k, n] → [m, n], rows sorted by group. Where groups are on
/// different shards, rows go where their group is, so rows pass through, and a
/// shard that lacks a group would give zeros for its rows.
FactorRule withRowsAtTheirGroups(FactorRule rule, unsigned groupDim) {
  for (FactorIndex index = 0; index < rule.factors.size(); ++index)
    if (rule.factors[index].kind == Kind::NeedReplication &&
        occursIn(rule.operands[0], index) && occursIn(rule.results[0], index))
      rule.factors[index].kind = Kind::PassThrough;
  rule.factors[rule.operands[1][groupDim].front()].kind = Kind::Reduction;
  return rule;
}

/// Blocks are split along dimensions whose elements they treat alike; the
/// dimension that a range is cut out of is none of them.
FactorRule withWholeRanges(Operation *op, FactorRule rule) {
  for (auto [index, factor] : llvm::enumerate(rule.factors))
    if (stablehlo::pointsInto(op, rule, index))
      factor.kind = Kind::NeedReplication;
  return rule;
}

} // namespace

FactorRule axisRuleOf(Operation *op) {
  if (auto slice = dyn_cast<stablehlo::SliceOp>(op))
    return sliceRule(slice);
  if (auto concatenate = dyn_cast<stablehlo::ConcatenateOp>(op))
    if (llvm::all_equal(op->getOperandTypes()))
      return equalConcatenateRule(concatenate);
  if (auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op))
    return convolutionRule(convolution);
  if (std::optional<unsigned> groups = groupDimensionOf(op))
    return withRowsAtTheirGroups(cast<FactorRuleInterface>(op).getFactorRule(),
                                 *groups);
  if (isa<stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp>(op))
    return withWholeRanges(op, cast<FactorRuleInterface>(op).getFactorRule());
  if (auto interface = dyn_cast<FactorRuleInterface>(op))
    return withoutNeighbours(op, interface.getFactorRule());
  if (!isa<sdy::ShardingConstraintOp, sdy::PropagationBarrierOp>(op))
    return replicatedRule(op);
  FactorRule rule = pointwiseRule(op);
  rule.linearOperandSets.push_back({0});
  return rule;
}

SmallVector<SameExtent> sameExtents(Operation *op) {
  if (!isa<stablehlo::SortOp, stablehlo::ReverseOp, stablehlo::ReduceWindowOp>(
          op))
    return {};
  SmallVector<SameExtent> same;
  auto tie = [&](unsigned operand, unsigned result) {
    ArrayRef<int64_t> from = shapeOf(op->getOperand(operand)),
                      to = shapeOf(op->getResult(result));
    for (unsigned dim = 0; dim < to.size(); ++dim)
      if (from[dim] == to[dim])
        same.push_back({operand, result, dim});
  };
  // Any of the operands may be a constant.
  for (unsigned operand = 0; operand < op->getNumResults(); ++operand)
    for (unsigned result = 0; result < op->getNumResults(); ++result)
      tie(operand, result);
  return same;
}

} // namespace shardsmith::workload
