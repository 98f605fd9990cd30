// SPDX-License-Identifier: Apache-2.0

#include "Kernels/LinearAlgebra.h"

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

} // namespace
} // namespace shardsmith
