// SPDX-License-Identifier: Apache-2.0
//
// Convolution by definition: every result element is a sum over the window and
// the input features of its group. No transformation to a matrix product, so
// that this can be the oracle for one.

#include "Contraction.h"

#include "Elementwise.h"
#include "Movement.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

/// Per spatial dimension and result position the pairs (window position, input
/// position) that meet; the rest of the window falls on padding or holes.
struct Meeting {
  int64_t window;
  int64_t input;
};

SmallVector<Meeting> meetingsOf(const ConvolutionGeometry &geometry, size_t dim,
                                int64_t resultPosition, int64_t windowSize,
                                int64_t inputSize) {
  SmallVector<Meeting> meetings;
  for (int64_t tap = 0; tap < windowSize; ++tap) {
    const int64_t dilated = resultPosition * geometry.strides[dim] +
                            tap * geometry.rhsDilation[dim] -
                            geometry.paddingLow[dim];
    if (dilated < 0 || dilated % geometry.lhsDilation[dim] != 0)
      continue;
    const int64_t input = dilated / geometry.lhsDilation[dim];
    if (input < inputSize)
      meetings.push_back(
          {geometry.reversed[dim] ? windowSize - 1 - tap : tap, input});
  }
  return meetings;
}

template <typename T, typename Sum>
void convolveTyped(const Tensor &lhs, const Tensor &rhs,
                   const ConvolutionGeometry &geometry, Tensor &result) {
  const size_t spatialRank = geometry.lhsSpatial.size();
  const Shape lhsStrides = rowMajorStrides(lhs.shape());
  const Shape rhsStrides = rowMajorStrides(rhs.shape());
  const int64_t groupDepth = rhs.dim(geometry.rhsInputFeatureDim);
  const int64_t outputFeatures = rhs.dim(geometry.rhsOutputFeatureDim);
  const int64_t groups = geometry.featureGroups * geometry.batchGroups;
  const int64_t featuresPerGroup = outputFeatures / groups;
  const int64_t batchesPerGroup =
      lhs.dim(geometry.lhsBatchDim) / geometry.batchGroups;
  const int64_t lhsFeatureStride = lhsStrides[geometry.lhsFeatureDim];
  const int64_t rhsFeatureStride = rhsStrides[geometry.rhsInputFeatureDim];

  const T *left = lhs.data<T>();
  const T *right = rhs.data<T>();
  T *out = result.mutableData<T>();
  Shape position(result.rank(), 0);
  do {
    const int64_t feature = position[geometry.resultFeatureDim];
    const int64_t group = feature / featuresPerGroup;
    int64_t batch = position[geometry.resultBatchDim];
    int64_t firstFeature = group * groupDepth;
    if (geometry.batchGroups > 1) {
      batch += group * batchesPerGroup;
      firstFeature = 0;
    }
    const int64_t lhsBase = batch * lhsStrides[geometry.lhsBatchDim] +
                            firstFeature * lhsFeatureStride;
    const int64_t rhsBase = feature * rhsStrides[geometry.rhsOutputFeatureDim];

    SmallVector<SmallVector<Meeting>> meetings;
    Shape counts;
    for (size_t dim = 0; dim < spatialRank; ++dim) {
      meetings.push_back(meetingsOf(geometry, dim,
                                    position[geometry.resultSpatial[dim]],
                                    rhs.dim(geometry.rhsSpatial[dim]),
                                    lhs.dim(geometry.lhsSpatial[dim])));
      counts.push_back(meetings.back().size());
    }
    Sum sum = 0;
    Shape choice(spatialRank, 0);
    if (elementCount(counts) > 0)
      do {
        int64_t from = lhsBase, weight = rhsBase;
        for (size_t dim = 0; dim < spatialRank; ++dim) {
          const Meeting &meeting = meetings[dim][choice[dim]];
          from += meeting.input * lhsStrides[geometry.lhsSpatial[dim]];
          weight += meeting.window * rhsStrides[geometry.rhsSpatial[dim]];
        }
        for (int64_t k = 0; k < groupDepth; ++k)
          sum += static_cast<Sum>(left[from + k * lhsFeatureStride]) *
                 static_cast<Sum>(right[weight + k * rhsFeatureStride]);
      } while (advance(choice, counts));
    *out++ = static_cast<T>(sum);
  } while (advance(position, result.shape()));
}

} // namespace

Tensor convolve(const Tensor &lhs, const Tensor &rhs,
                const ConvolutionGeometry &geometry, ElementType resultType,
                ArrayRef<int64_t> resultShape) {
  // Float operands are exact in double precision whatever their types are.
  const bool inFloats = isFloat(resultType);
  const ElementType type = inFloats ? ElementType::F64 : widened(resultType);
  Tensor left = convert(lhs, type).dense();
  Tensor right = convert(rhs, type).dense();
  Tensor result = Tensor::uninitialized(type, resultShape);
  if (result.size() != 0)
    dispatchArithmetic(type, [&]<typename T>(Tag<T>) {
      if constexpr (std::is_same_v<T, double>)
        convolveTyped<T, double>(left, right, geometry, result);
      else if constexpr (std::is_integral_v<T>)
        convolveTyped<T, uint64_t>(left, right, geometry, result);
    });
  return convert(result, resultType);
}

} // namespace shardsmith::inline interpreter
