// SPDX-License-Identifier: Apache-2.0
//
// Ops that read or write at computed positions.

#include "Families.h"

#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include <numeric>

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

using Place = FactorRuleBuilder::Place;

/// A range of three rows, operand [V, D], two start indices -> result [3, D]:
///
///   ([v, d], [], [])->([r, d])  reduction={v} need_replication={r}
///
/// A shard answers zero for rows of the range that it does not hold, so the
/// shards' answers add up. Start indices have no factors.
FactorRule dynamicSliceRule(DynamicSliceOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getOperand()), to = shapeOf(op);
  FactorRuleBuilder builder(op->getNumOperands(), 1);
  for (unsigned dim = 0; dim < from.size(); ++dim) {
    if (from[dim] == to[dim]) {
      builder.add(from[dim], {{0, dim}}, {{0, dim}});
      continue;
    }
    builder.add(from[dim], {{0, dim}}, {},
                to[dim] > 0 ? FactorKind::Reduction
                            : FactorKind::NeedReplication);
    builder.add(to[dim], {}, {{0, dim}}, FactorKind::NeedReplication);
  }
  builder.addLinearSet({0});
  return builder.build();
}

/// A shard writes those elements of the update that it holds.
FactorRule dynamicUpdateSliceRule(DynamicUpdateSliceOp op) {
  ArrayRef<int64_t> whole = shapeOf(op.getOperand()),
                    update = shapeOf(op.getUpdate());
  FactorRuleBuilder builder(op->getNumOperands(), 1);
  for (unsigned dim = 0; dim < whole.size(); ++dim) {
    if (whole[dim] == update[dim]) {
      builder.add(whole[dim], {{0, dim}, {1, dim}}, {{0, dim}});
      continue;
    }
    builder.add(whole[dim], {{0, dim}}, {{0, dim}});
    builder.add(update[dim], {{1, dim}}, {}, FactorKind::NeedReplication);
  }
  builder.addLinearSet({0, 1});
  return builder.build();
}

/// Dimensions of the start indices but the one that holds the coordinates,
/// in the order in which gather results and scatter updates list them.
SmallVector<unsigned> indexBatchDims(ArrayRef<int64_t> indices,
                                     int64_t indexVectorDim) {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < indices.size(); ++dim)
    if (int64_t(dim) != indexVectorDim)
      dims.push_back(dim);
  return dims;
}

/// Position in `list`, or nothing.
std::optional<unsigned> positionIn(ArrayRef<int64_t> list, int64_t value) {
  const int64_t *found = llvm::find(list, value);
  if (found == list.end())
    return std::nullopt;
  return found - list.begin();
}

/// Embedding look-up, operand [V, D], indices [B, 1] -> result [B, D]:
///
///   ([v, d], [b, 1])->([b, d])  reduction={v}
///
/// A shard that holds only some rows answers zero for the others, so the
/// shards' answers add up.
FactorRule gatherRule(GatherOp op) {
  GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> operand = shapeOf(op.getOperand()),
                    indices = shapeOf(op.getStartIndices()),
                    result = shapeOf(op);
  FactorRuleBuilder builder(2, 1);

  SmallVector<unsigned> batchDims =
      indexBatchDims(indices, numbers.getIndexVectorDim());
  SmallVector<unsigned> resultBatchDims;
  for (unsigned dim = 0; dim < result.size(); ++dim)
    if (!llvm::is_contained(numbers.getOffsetDims(), int64_t(dim)))
      resultBatchDims.push_back(dim);
  for (auto [indexDim, resultDim] :
       llvm::zip_equal(batchDims, resultBatchDims)) {
    SmallVector<Place> from{{1, indexDim}};
    if (auto pair = positionIn(numbers.getStartIndicesBatchingDims(), indexDim))
      from.push_back({0, unsigned(numbers.getOperandBatchingDims()[*pair])});
    builder.add(indices[indexDim], from, {{0, resultDim}});
  }
  if (numbers.getIndexVectorDim() < int64_t(indices.size())) {
    unsigned dim = numbers.getIndexVectorDim();
    builder.add(indices[dim], {{1, dim}}, {}, FactorKind::NeedReplication);
  }

  unsigned offset = 0;
  for (auto [index, size] : llvm::enumerate(operand)) {
    unsigned dim = index;
    if (llvm::is_contained(numbers.getOperandBatchingDims(), int64_t(dim)))
      continue;
    if (llvm::is_contained(numbers.getCollapsedSliceDims(), int64_t(dim))) {
      builder.add(size, {{0, dim}}, {},
                  size > 1 ? FactorKind::Reduction
                           : FactorKind::NeedReplication);
      continue;
    }
    unsigned resultDim = numbers.getOffsetDims()[offset++];
    if (op.getSliceSizes()[dim] == size) {
      builder.add(size, {{0, dim}}, {{0, resultDim}});
      continue;
    }
    builder.add(size, {{0, dim}}, {}, FactorKind::NeedReplication);
    builder.add(result[resultDim], {}, {{0, resultDim}},
                FactorKind::NeedReplication);
  }
  builder.addLinearSet({0});
  return builder.build();
}

/// The mirror of gather. Embedding gradient, input [V, D], indices [B, 1],
/// updates [B, D] -> [V, D]:
///
///   ([v, d], [b, 1], [b, d])->([v, d])  reduction={b}
///
/// Rows outside a shard are dropped by scatter's own rule, so v passes
/// through; samples on different shards give partial sums.
FactorRule scatterRule(ScatterOp op) {
  ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  unsigned inputs = op.getInputs().size();
  unsigned indicesOperand = inputs;
  ArrayRef<int64_t> input = shapeOf(op.getInputs()[0]),
                    indices = shapeOf(op.getScatterIndices()),
                    updates = shapeOf(op.getUpdates()[0]);
  std::optional<ReductionKind> reduction;
  if (inputs == 1)
    reduction = matchReduction(op.getUpdateComputation());
  FactorRuleBuilder builder(op->getNumOperands(), inputs);
  auto inInputs = [&](unsigned dim) {
    SmallVector<Place> places;
    for (unsigned i = 0; i < inputs; ++i)
      places.push_back({i, dim});
    return places;
  };
  auto inUpdates = [&](unsigned dim) {
    SmallVector<Place> places;
    for (unsigned i = 0; i < inputs; ++i)
      places.push_back({inputs + 1 + i, dim});
    return places;
  };

  SmallVector<unsigned> batchDims =
      indexBatchDims(indices, numbers.getIndexVectorDim());
  SmallVector<unsigned> updateBatchDims;
  for (unsigned dim = 0; dim < updates.size(); ++dim)
    if (!llvm::is_contained(numbers.getUpdateWindowDims(), int64_t(dim)))
      updateBatchDims.push_back(dim);
  for (auto [indexDim, updateDim] :
       llvm::zip_equal(batchDims, updateBatchDims)) {
    SmallVector<Place> from = inUpdates(updateDim);
    from.push_back({indicesOperand, indexDim});
    if (auto pair =
            positionIn(numbers.getScatterIndicesBatchingDims(), indexDim)) {
      SmallVector<Place> to = inInputs(numbers.getInputBatchingDims()[*pair]);
      from.append(to);
      builder.add(indices[indexDim], from, to);
      continue;
    }
    builder.add(indices[indexDim], from, {},
                reduction ? FactorKind::Reduction : FactorKind::NeedReplication,
                reduction.value_or(ReductionKind::Sum));
  }
  if (numbers.getIndexVectorDim() < int64_t(indices.size())) {
    unsigned dim = numbers.getIndexVectorDim();
    builder.add(indices[dim], {{indicesOperand, dim}}, {},
                FactorKind::NeedReplication);
  }

  unsigned window = 0;
  for (auto [index, size] : llvm::enumerate(input)) {
    unsigned dim = index;
    if (llvm::is_contained(numbers.getInputBatchingDims(), int64_t(dim)))
      continue;
    if (llvm::is_contained(numbers.getInsertedWindowDims(), int64_t(dim))) {
      builder.add(size, inInputs(dim), inInputs(dim));
      continue;
    }
    unsigned updateDim = numbers.getUpdateWindowDims()[window++];
    if (updates[updateDim] == size) {
      SmallVector<Place> from = inInputs(dim);
      from.append(inUpdates(updateDim));
      builder.add(size, from, inInputs(dim));
      continue;
    }
    builder.add(size, inInputs(dim), inInputs(dim),
                FactorKind::NeedReplication);
    builder.add(updates[updateDim], inUpdates(updateDim), {},
                FactorKind::NeedReplication);
  }
  if (reduction == ReductionKind::Sum)
    builder.addLinearSet({0, 2});
  return builder.build();
}

} // namespace

void attachIndexingFactorRules(MLIRContext *context) {
  FactorRuleModel<DynamicSliceOp, dynamicSliceRule>::attach(context);
  FactorRuleModel<DynamicUpdateSliceOp, dynamicUpdateSliceRule>::attach(
      context);
  FactorRuleModel<GatherOp, gatherRule>::attach(context);
  FactorRuleModel<ScatterOp, scatterRule>::attach(context);
}

} // namespace shardsmith::stablehlo
