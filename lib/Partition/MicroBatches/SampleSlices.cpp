// SPDX-License-Identifier: Apache-2.0

#include "SampleSlices.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Localization/StableHLO.h"

using namespace mlir;

namespace shardsmith {
namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A dimension by sample and micro-batch: [samples per micro-batch,
/// micro-batches, elements per sample], the last of which is left out if it is
/// 1.
SmallVector<int64_t> apartByMicroBatch(ArrayRef<int64_t> shape, int64_t dim,
                                       int64_t grain, int64_t microBatches) {
  SmallVector<int64_t> apart(shape);
  SmallVector<int64_t, 2> behind{microBatches};
  if (grain > 1)
    behind.push_back(grain);
  apart[dim] /= microBatches * grain;
  apart.insert(apart.begin() + dim + 1, behind.begin(), behind.end());
  return apart;
}

} // namespace

SmallVector<Value> SampleSlices::startsAt(size_t rank, size_t dim) {
  SmallVector<Value> starts(rank,
                            stablehlo::createSplat(builder, typeOf(index), 0));
  starts[dim] = index;
  return starts;
}

Value SampleSlices::take(Value whole, int64_t dim, int64_t grain) {
  RankedTensorType type = typeOf(whole);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<int64_t> apart = apartByMicroBatch(shape, dim, grain, count);
  shape[dim] /= count;
  Value parts = stablehlo::ReshapeOp::create(builder, type.clone(apart), whole);
  apart[dim + 1] = 1;
  Value part =
      stablehlo::DynamicSliceOp::create(builder, type.clone(apart), parts,
                                        startsAt(apart.size(), dim + 1), apart);
  return stablehlo::ReshapeOp::create(builder, type.clone(shape), part);
}

Value SampleSlices::amongZeros(Value part, int64_t dim, int64_t grain) {
  RankedTensorType type = typeOf(part);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<int64_t> apart = apartByMicroBatch(shape, dim, grain, 1);
  shape[dim] *= count;
  Value own = stablehlo::ReshapeOp::create(builder, type.clone(apart), part);
  apart[dim + 1] = count;
  Value zeros =
      stablehlo::createNeutral(builder, type.clone(apart), ReductionKind::Sum);
  Value all = stablehlo::DynamicUpdateSliceOp::create(
      builder, type.clone(apart), zeros, own, startsAt(apart.size(), dim + 1));
  return stablehlo::ReshapeOp::create(builder, type.clone(shape), all);
}

} // namespace shardsmith
