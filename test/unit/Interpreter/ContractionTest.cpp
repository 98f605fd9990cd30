// SPDX-License-Identifier: Apache-2.0

#include "Kernels/Contraction.h"

#include "Kernels/RaggedContraction.h"
#include "TensorBuilders.h"

#include <random>

namespace shardsmith {
namespace {

Tensor randomMatrix(int64_t rows, int64_t columns, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Tensor result = Tensor::uninitialized(ElementType::F32, {rows, columns});
  float *out = result.mutableData<float>();
  for (int64_t i = 0; i < result.size(); ++i)
    out[i] = uniform(generator);
  return result;
}

TEST(Contraction, MatrixProduct) {
  const Tensor result =
      contract(f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({3, 2}, {1, 0, 0, 1, 1, 1}),
               {{}, {}, {1}, {0}}, ElementType::F32);
  EXPECT_THAT(shapeOf(result), ElementsAre(2, 2));
  EXPECT_THAT(values(result), ElementsAre(4, 5, 10, 11));
}

TEST(Contraction, BatchInTheMiddleAndFreeDimsAround) {
  // lhs[i, b, k], rhs[k, b]: result[b, i].
  const Tensor lhs = i32({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor rhs = i32({2, 2}, {1, 10, 100, 1000});
  const Tensor result =
      contract(lhs, rhs, {{1}, {1}, {2}, {0}}, ElementType::I32);
  EXPECT_THAT(shapeOf(result), ElementsAre(2, 2));
  // b=0: 1*1+2*100, 5*1+6*100; b=1: 3*10+4*1000, 7*10+8*1000.
  EXPECT_THAT(values(result), ElementsAre(201, 605, 4030, 8070));
}

TEST(Contraction, SeveralContractingDims) {
  const Tensor a = i32({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(
      values(contract(a, a, {{}, {}, {0, 1}, {1, 0}}, ElementType::I32)),
      ElementsAre(1 * 1 + 2 * 3 + 3 * 2 + 4 * 4));
}

TEST(Contraction, IntegersWrapInTheResultType) {
  EXPECT_THAT(values(contract(i8({1, 2}, {100, 100}), i8({2, 1}, {2, 2}),
                              {{}, {}, {1}, {0}}, ElementType::I8)),
              ElementsAre(static_cast<int8_t>(400)));
  EXPECT_THAT(values(contract(i8({1, 2}, {100, 100}), i8({2, 1}, {2, 2}),
                              {{}, {}, {1}, {0}}, ElementType::I32)),
              ElementsAre(400));
}

TEST(Contraction, EmptyContractionIsZero) {
  EXPECT_THAT(values(contract(Tensor::zeros(ElementType::F32, {2, 0}),
                              Tensor::zeros(ElementType::F32, {0, 1}),
                              {{}, {}, {1}, {0}}, ElementType::F32)),
              ElementsAre(0, 0));
}

// Sizes that divide neither tiles nor panels, against the definition.
TEST(Contraction, OddSizesAgreeWithTheDefinition) {
  const int64_t rows = 7, depth = 131, columns = 263;
  const Tensor a = randomMatrix(rows, depth, 1);
  const Tensor b = randomMatrix(depth, columns, 2);
  const Tensor result = contract(a, b, {{}, {}, {1}, {0}}, ElementType::F32);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += a.asDouble(i * depth + k) * b.asDouble(k * columns + j);
      ASSERT_FLOAT_EQ(result.asDouble(i * columns + j), sum) << i << "," << j;
    }
}

ConvolutionGeometry line() {
  ConvolutionGeometry geometry;
  geometry.lhsBatchDim = geometry.resultBatchDim = 0;
  geometry.lhsFeatureDim = geometry.resultFeatureDim = 2;
  geometry.rhsInputFeatureDim = 1;
  geometry.rhsOutputFeatureDim = 2;
  geometry.lhsSpatial = geometry.resultSpatial = {1};
  geometry.rhsSpatial = {0};
  geometry.strides = geometry.lhsDilation = geometry.rhsDilation = {1};
  geometry.paddingLow = {0};
  geometry.reversed = {false};
  return geometry;
}

TEST(Convolution, StrideAndPadding) {
  ConvolutionGeometry geometry = line();
  geometry.strides = {2};
  geometry.paddingLow = {1};
  // Padded input 0 1 2 3 4, windows of 3 every 2.
  EXPECT_THAT(values(convolve(f32({1, 4, 1}, {1, 2, 3, 4}),
                              f32({3, 1, 1}, {1, 10, 100}), geometry,
                              ElementType::F32, {1, 2, 1})),
              ElementsAre(210, 432));
}

TEST(Convolution, DilationReversalAndNegativePadding) {
  ConvolutionGeometry geometry = line();
  geometry.lhsDilation = {2}; // 1 . 2 . 3
  geometry.reversed = {true};
  EXPECT_THAT(
      values(convolve(f32({1, 3, 1}, {1, 2, 3}), f32({2, 1, 1}, {1, 10}),
                      geometry, ElementType::F32, {1, 4, 1})),
      ElementsAre(10, 2, 20, 3));
  geometry = line();
  geometry.rhsDilation = {2};
  geometry.paddingLow = {-1}; // 2 3 4
  EXPECT_THAT(
      values(convolve(f32({1, 4, 1}, {1, 2, 3, 4}), f32({2, 1, 1}, {1, 10}),
                      geometry, ElementType::F32, {1, 1, 1})),
      ElementsAre(42));
}

TEST(Convolution, FeatureAndBatchGroups) {
  ConvolutionGeometry geometry = line();
  geometry.featureGroups = 2;
  // Feature 0 is weighted by 1, feature 1 by 10.
  EXPECT_THAT(values(convolve(f32({1, 1, 2}, {3, 4}), f32({1, 1, 2}, {1, 10}),
                              geometry, ElementType::F32, {1, 1, 2})),
              ElementsAre(3, 40));
  geometry.featureGroups = 1;
  geometry.batchGroups = 2;
  // Batch 0 makes output feature 0, batch 1 makes output feature 1.
  EXPECT_THAT(values(convolve(f32({2, 1, 1}, {3, 4}), f32({1, 1, 2}, {1, 10}),
                              geometry, ElementType::F32, {1, 1, 2})),
              ElementsAre(3, 40));
}

TEST(RaggedContraction, RowsMeetTheMatrixOfTheirGroup) {
  const Tensor lhs = i32({3, 1}, {1, 2, 3});
  const Tensor rhs = i32({2, 1, 1}, {10, 100});
  EXPECT_THAT(values(contractRagged(lhs, rhs, i32({2}, {2, 1}),
                                    {{}, {}, {1}, {1}, 0, 0}, ElementType::I32,
                                    {3, 1})),
              ElementsAre(10, 20, 300));
}

TEST(RaggedContraction, GroupsOfTheContractionStack) {
  const Tensor lhs = i32({1, 3}, {1, 2, 3});
  const Tensor rhs = i32({3, 1}, {1, 10, 100});
  EXPECT_THAT(values(contractRagged(lhs, rhs, i32({2}, {1, 2}),
                                    {{}, {}, {1}, {0}, 1, -1}, ElementType::I32,
                                    {2, 1, 1})),
              ElementsAre(1, 320));
}

} // namespace
} // namespace shardsmith
