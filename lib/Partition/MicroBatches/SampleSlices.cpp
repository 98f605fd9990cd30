// SPDX-License-Identifier: Apache-2.0

#include "SampleSlices.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Localization/StableHLO.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith {
namespace {

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
  if (!shares.areEven())
    return takeOfShares(whole, dim, grain);
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
  if (!shares.areEven())
    return amongZerosOfShares(part, dim, grain);
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

Value SampleSlices::rowsAt(Value places, Value whole, int64_t dim,
                           int64_t grain) {
  RankedTensorType type = typeOf(whole);
  SmallVector<int64_t> shape(type.getShape()), apart(shape);
  if (grain > 1) {
    apart[dim] /= grain;
    apart.insert(apart.begin() + dim + 1, grain);
  }
  Value rows = whole;
  if (grain > 1)
    rows = stablehlo::ReshapeOp::create(builder, type.clone(apart), whole);
  SmallVector<int64_t> sizes(apart), others;
  sizes[dim] = 1;
  for (int64_t other = 0; other < int64_t(apart.size()); ++other)
    if (other != dim)
      others.push_back(other);
  apart[dim] = typeOf(places).getNumElements();
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      builder.getContext(), others, {dim}, {}, {}, {dim},
      /*indexVectorDim=*/1);
  Value found =
      stablehlo::GatherOp::create(builder, type.clone(apart), rows, places,
                                  numbers, sizes, /*indicesAreSorted=*/false);
  shape[dim] = apart[dim] * grain;
  if (grain > 1)
    found = stablehlo::ReshapeOp::create(builder, type.clone(shape), found);
  return found;
}

Value SampleSlices::where(Value flags, Value value, int64_t dim, int64_t grain,
                          Value otherwise) {
  RankedTensorType type = typeOf(value), boolean = typeOf(flags);
  int64_t samples = boolean.getNumElements();
  if (grain > 1) {
    flags = stablehlo::BroadcastInDimOp::create(
        builder, boolean.clone({samples, grain}), flags, ArrayRef<int64_t>{0});
    flags = stablehlo::ReshapeOp::create(
        builder, boolean.clone({samples * grain}), flags);
  }
  flags = stablehlo::BroadcastInDimOp::create(
      builder, boolean.clone(type.getShape()), flags, ArrayRef<int64_t>{dim});
  return stablehlo::SelectOp::create(builder, type, flags, value, otherwise);
}

Value SampleSlices::numbers(ArrayRef<int32_t> values) {
  auto type =
      RankedTensorType::get({int64_t(values.size())}, builder.getI32Type());
  return stablehlo::ConstantOp::create(builder,
                                       DenseElementsAttr::get(type, values));
}

Value SampleSlices::indexFor(Value perSample) {
  return stablehlo::BroadcastInDimOp::create(builder, typeOf(perSample), index,
                                             ArrayRef<int64_t>());
}

Value SampleSlices::takeOfShares(Value whole, int64_t dim, int64_t grain) {
  int64_t perPart = typeOf(whole).getDimSize(dim) / grain / shares.parts();
  SmallVector<int32_t> firsts, lasts;
  int64_t first = 0;
  for (int64_t share : shares.all()) {
    for (int64_t sample = 0; sample < perPart; ++sample) {
      firsts.push_back(int32_t(first + sample * share));
      lasts.push_back(int32_t(share - 1));
    }
    first += share * perPart;
  }
  Value last = numbers(lasts);
  Value places = stablehlo::AddOp::create(
      builder, numbers(firsts),
      stablehlo::MinOp::create(builder, indexFor(last), last));
  return rowsAt(places, whole, dim, grain);
}

Value SampleSlices::amongZerosOfShares(Value part, int64_t dim, int64_t grain) {
  int64_t ranks = int64_t(shares.all().size());
  int64_t perPart = typeOf(part).getDimSize(dim) / grain / ranks;
  SmallVector<int32_t> rows, slots;
  for (auto [rank, share] : llvm::enumerate(shares.all()))
    for (int64_t sample = 0; sample < perPart * share; ++sample) {
      rows.push_back(int32_t(int64_t(rank) * perPart + sample / share));
      slots.push_back(int32_t(sample % share));
    }
  Value all = rowsAt(numbers(rows), part, dim, grain);
  Value slot = numbers(slots);
  Value isOwn = stablehlo::CompareOp::create(
      builder, indexFor(slot), slot, stablehlo::ComparisonDirection::EQ);
  return where(
      isOwn, all, dim, grain,
      stablehlo::createNeutral(builder, typeOf(all), ReductionKind::Sum));
}

Value SampleSlices::onlyCounted(Value part, int64_t dim, int64_t grain,
                                Value otherwise) {
  int64_t ranks = int64_t(shares.all().size());
  int64_t perPart = typeOf(part).getDimSize(dim) / grain / ranks;
  SmallVector<int32_t> counts;
  for (int64_t share : shares.all())
    counts.append(size_t(perPart), int32_t(share));
  Value count = numbers(counts);
  Value isCounted = stablehlo::CompareOp::create(
      builder, indexFor(count), count, stablehlo::ComparisonDirection::LT);
  return where(isCounted, part, dim, grain, otherwise);
}

} // namespace shardsmith
