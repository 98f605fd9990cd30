// SPDX-License-Identifier: Apache-2.0

#include "Kernels/Reduction.h"

#include "TensorBuilders.h"

#include <cmath>
#include <limits>

namespace shardsmith {
namespace {

const Tensor cube = i32({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});

TEST(Reduction, OverEachDim) {
  const Tensor zero = i32({}, {0});
  EXPECT_THAT(values(reduce(BinaryKind::Add, cube, zero, {0})),
              ElementsAre(6, 8, 10, 12));
  EXPECT_THAT(values(reduce(BinaryKind::Add, cube, zero, {1})),
              ElementsAre(4, 6, 12, 14));
  EXPECT_THAT(values(reduce(BinaryKind::Add, cube, zero, {0, 2})),
              ElementsAre(14, 22));
  EXPECT_THAT(values(reduce(BinaryKind::Add, cube, zero, {0, 1, 2})),
              ElementsAre(36));
}

TEST(Reduction, StartsFromTheInitialValue) {
  EXPECT_THAT(values(reduce(BinaryKind::Maximum, cube, i32({}, {6}), {1, 2})),
              ElementsAre(6, 8));
  EXPECT_THAT(
      values(reduce(BinaryKind::Add, Tensor::zeros(ElementType::I32, {0, 2}),
                    i32({}, {5}), {0})),
      ElementsAre(5, 5));
}

TEST(Reduction, SumsOfFloatsLoseNothingOnTheWay) {
  EXPECT_THAT(values(reduce(BinaryKind::Add, f32({3}, {1e8f, 1, -1e8f}),
                            f32({}, {0}), {0})),
              ElementsAre(1));
}

TEST(Reduction, MaximumPropagatesNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(
      reduce(BinaryKind::Maximum, f32({3}, {1, nan, 2}), f32({}, {-1}), {0})
          .asDouble(0)));
}

TEST(Reduction, AcrossTensors) {
  EXPECT_THAT(values(reduceAcross(BinaryKind::Multiply,
                                  {i32({2}, {2, 3}), i32({2}, {5, 7})})),
              ElementsAre(10, 21));
}

TEST(Reduction, OnlyFoldsAreDefined) {
  EXPECT_TRUE(isFoldDefined(BinaryKind::Add, ElementType::BF16));
  EXPECT_FALSE(isFoldDefined(BinaryKind::Subtract, ElementType::F32));
  EXPECT_FALSE(isFoldDefined(BinaryKind::And, ElementType::F32));
}

} // namespace
} // namespace shardsmith
