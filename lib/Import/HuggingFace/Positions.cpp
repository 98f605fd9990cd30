// SPDX-License-Identifier: Apache-2.0
//
// Positions that attention sees: rotated channels, and biases by distance.

#include "GraphOps.h"
#include "LayerParts.h"

#include <cmath>

using namespace mlir;

namespace shardsmith::huggingface {
namespace {

using stablehlo::ComparisonDirection;

/// The channels of `heads` that turn together, as two halves.
std::pair<TensorValue, TensorValue> pairs(const RotarySpec &spec,
                                          TensorValue heads) {
  int64_t half = spec.size / 2;
  if (!spec.interleaved)
    return {slice(heads, 3, 0, half), slice(heads, 3, half, spec.size)};
  ArrayRef<int64_t> shape = heads.shape();
  SmallVector<int64_t, 4> halfShape = {shape[0], shape[1], shape[2], half};
  TensorValue neighbours = reshape(slice(heads, 3, 0, spec.size),
                                   {shape[0], shape[1], shape[2], half, 2});
  return {reshape(slice(neighbours, 4, 0, 1), halfShape),
          reshape(slice(neighbours, 4, 1, 2), halfShape)};
}

/// Bucket of each distance: half of the buckets hold one distance each, the
/// rest grow geometrically up to `maxDistance`; the last takes all beyond.
TensorValue bucketOf(TensorValue distance, int64_t buckets,
                     int64_t maxDistance) {
  int64_t exact = buckets / 2;
  ImplicitLocOpBuilder &builder = distance.builder();
  TensorValue ratio =
      convert(distance, builder.getF32Type()) / static_cast<double>(exact);
  double step =
      static_cast<double>(buckets - exact) /
      std::log(static_cast<double>(maxDistance) / static_cast<double>(exact));
  // Distances below `exact` have no logarithm to speak of and are not used.
  TensorValue isExact =
      compare(distance, ComparisonDirection::LT, static_cast<double>(exact));
  TensorValue safe = select(isExact, ratio.filled(1.0), ratio);
  TensorValue grown = convert(logarithm(safe) * step, distance.elementType()) +
                      static_cast<double>(exact);
  TensorValue last = grown.filled(static_cast<double>(buckets - 1));
  TensorValue limited =
      select(compare(grown, ComparisonDirection::LT, last), grown, last);
  return select(isExact, distance, limited);
}

} // namespace

TensorValue rotate(const RotarySpec &spec, TensorValue heads) {
  ImplicitLocOpBuilder &builder = heads.builder();
  int64_t length = heads.shape()[1], channels = heads.shape()[3];
  int64_t half = spec.size / 2;
  auto angleType = RankedTensorType::get({length, half}, builder.getF32Type());
  TensorValue positions = iota(builder, angleType, 0);
  TensorValue angles =
      positions * broadcastInDim(constantVector(builder, spec.frequencies),
                                 angleType.getShape(), {1});

  auto [first, second] = pairs(spec, heads);
  auto spread = [&](TensorValue wave) {
    if (spec.magnitude != 1.0)
      wave = wave * spec.magnitude;
    return broadcastInDim(convert(wave, heads.elementType()), first.shape(),
                          {1, 3});
  };
  TensorValue cosines = spread(cosine(angles)), sines = spread(sine(angles));
  TensorValue rotatedFirst = first * cosines;
  rotatedFirst = rotatedFirst - second * sines;
  TensorValue rotatedSecond = second * cosines;
  rotatedSecond = rotatedSecond + first * sines;
  SmallVector<TensorValue, 3> parts = {rotatedFirst, rotatedSecond};
  if (spec.size < channels)
    parts.push_back(slice(heads, 3, spec.size, channels));
  return concatenate(parts, 3);
}

TensorValue relativeBias(FunctionBuilder &function,
                         const RelativeBiasSpec &spec, int64_t heads,
                         int64_t queries, int64_t keys, bool causal) {
  ImplicitLocOpBuilder &builder = function.builder();
  auto type = RankedTensorType::get({queries, keys}, builder.getI32Type());
  TensorValue query = iota(builder, type, 0);
  TensorValue behind = query - iota(builder, type, 1);
  int64_t buckets = causal ? spec.buckets : spec.buckets / 2;
  TensorValue distance =
      causal ? maximum(behind, behind.filled(0)) : absolute(behind);
  TensorValue bucket = bucketOf(distance, buckets, spec.maxDistance);
  if (!causal) {
    // Keys after the query have the upper half of the buckets.
    TensorValue isAhead = compare(behind, ComparisonDirection::LT, 0.0);
    bucket = select(isAhead, bucket + static_cast<double>(buckets), bucket);
  }
  TensorValue table = function.parameter(spec.table, {spec.buckets, heads},
                                         Init::Normal, /*isShared=*/true);
  return transpose(lookUp(table, bucket), {2, 0, 1});
}

} // namespace shardsmith::huggingface
