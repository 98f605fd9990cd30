// SPDX-License-Identifier: Apache-2.0

#include "Kernels/LinearAlgebra.h"
#include "Kernels/MatrixFactors.h"

#include "TensorBuilders.h"

#include <cmath>

namespace shardsmith {
namespace {

TEST(Cholesky, BothTriangles) {
  // [[4, 2], [2, 5]] = L L^T with L = [[2, 0], [1, 2]].
  EXPECT_THAT(values(cholesky(f32({2, 2}, {4, 99, 2, 5}), true)),
              ElementsAre(2, 0, 1, 2));
  EXPECT_THAT(values(cholesky(f32({2, 2}, {4, 2, 99, 5}), false)),
              ElementsAre(2, 1, 0, 2));
}

TEST(Cholesky, IndefiniteIsNaN) {
  EXPECT_TRUE(
      std::isnan(cholesky(f32({2, 2}, {1, 2, 2, 1}), true).asDouble(0)));
}

TEST(TriangularSolve, EveryVariant) {
  const Tensor lower = f64({2, 2}, {2, 77, 1, 4});
  const Tensor b = f64({2, 1}, {2, 9});
  // 2x = 2, x + 4y = 9
  EXPECT_THAT(values(triangularSolve(lower, b, {true, true, false, false})),
              ElementsAre(1, 2));
  // Transposed: 2x + y = 2, 4y = 9.
  EXPECT_THAT(values(triangularSolve(lower, b, {true, true, false, true})),
              ElementsAre((2 - 9.0 / 4) / 2, 9.0 / 4));
  // Unit diagonal: x = 2, x + y = 9.
  EXPECT_THAT(values(triangularSolve(lower, b, {true, true, true, false})),
              ElementsAre(2, 7));
  // From the right: [x y] L = [2 9]: 4y = 9, 2x + y = 2.
  EXPECT_THAT(values(triangularSolve(lower, f64({1, 2}, {2, 9}),
                                     {false, true, false, false})),
              ElementsAre((2 - 9.0 / 4) / 2, 9.0 / 4));
  const Tensor upper = f64({2, 2}, {2, 1, 77, 4});
  EXPECT_THAT(values(triangularSolve(upper, b, {true, false, false, false})),
              ElementsAre((2 - 9.0 / 4) / 2, 9.0 / 4));
}

using testing::DoubleNear;
using testing::Pointwise;

TEST(MatrixFactors, OrthogonalWithTheSignsOfReflections) {
  // The column (3, 4) is reflected to (-5, 0).
  llvm::SmallVector<Tensor> found = qr(f64({2, 2}, {3, 1, 4, 2}));
  EXPECT_THAT(values(found[0]),
              Pointwise(DoubleNear(1e-15), {-0.6, -0.8, -0.8, 0.6}));
  EXPECT_THAT(values(found[1]),
              Pointwise(DoubleNear(1e-15), {-5.0, -2.2, 0.0, 0.4}));
  // One row: nothing to reflect.
  found = qr(f64({1, 2}, {-3, 1}));
  EXPECT_THAT(values(found[0]), ElementsAre(1));
  EXPECT_THAT(values(found[1]), ElementsAre(-3, 1));
}

TEST(MatrixFactors, EigenvaluesOfTheLowerTriangle) {
  // [[2, 1], [1, 2]] has 1 for (1, -1) and 3 for (1, 1).
  llvm::SmallVector<Tensor> found = eigh(f64({2, 2}, {2, 99, 1, 2}));
  EXPECT_THAT(values(found[0]), Pointwise(DoubleNear(1e-15), {1.0, 3.0}));
  const double half = std::sqrt(0.5);
  std::vector<double> vectors;
  for (double value : values(found[1]))
    vectors.push_back(std::fabs(value));
  EXPECT_THAT(vectors, Pointwise(DoubleNear(1e-15), {half, half, half, half}));
  EXPECT_LT(found[1].asDouble(0) * found[1].asDouble(2), 0);
  EXPECT_GT(found[1].asDouble(1) * found[1].asDouble(3), 0);
}

TEST(MatrixFactors, LargestPivotFirst) {
  // Row 1 comes first; below it is half of it.
  llvm::SmallVector<Tensor> found = lu(f64({2, 2}, {2, 1, 4, 6}));
  EXPECT_THAT(values(found[0]), ElementsAre(4, 6, 0.5, -2));
  EXPECT_THAT(values(found[1]), ElementsAre(1, 1));
  EXPECT_THAT(values(found[2]), ElementsAre(1, 0));
  // More columns than rows, and a column of zeros.
  found = lu(f64({1, 3}, {0, 5, 7}));
  EXPECT_THAT(values(found[0]), ElementsAre(0, 5, 7));
  EXPECT_THAT(values(found[1]), ElementsAre(0));
}

} // namespace
} // namespace shardsmith
