// SPDX-License-Identifier: Apache-2.0

#include "Kernels/Movement.h"

#include "TensorBuilders.h"

namespace shardsmith {
namespace {

const Tensor matrix = i32({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(Movement, Transpose) {
  const Tensor result = transpose(matrix, {1, 0});
  EXPECT_THAT(shapeOf(result), ElementsAre(3, 2));
  EXPECT_THAT(values(result), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(Movement, BroadcastInDimToOtherOrder) {
  // Operand dimension 0 becomes result dimension 1 and the other way round.
  EXPECT_THAT(values(broadcastInDim(matrix, {1, 0}, {3, 2})),
              ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(values(broadcastInDim(i32({2, 1}, {7, 8}), {0, 1}, {2, 2})),
              ElementsAre(7, 7, 8, 8));
}

TEST(Movement, ReverseTwoDims) {
  EXPECT_THAT(values(reverse(matrix, {0, 1})), ElementsAre(6, 5, 4, 3, 2, 1));
}

TEST(Movement, SliceWithStride) {
  const Tensor result = slice(matrix, {0, 0}, {2, 3}, {1, 2});
  EXPECT_THAT(shapeOf(result), ElementsAre(2, 2));
  EXPECT_THAT(values(result), ElementsAre(1, 3, 4, 6));
}

TEST(Movement, EmptySlice) {
  EXPECT_THAT(values(slice(matrix, {1, 2}, {1, 3}, {1, 1})), IsEmpty());
}

TEST(Movement, DynamicSliceIsClamped) {
  EXPECT_THAT(values(dynamicSlice(matrix, {5, -3}, {1, 2})), ElementsAre(4, 5));
  EXPECT_THAT(values(dynamicUpdateSlice(matrix, i32({1, 2}, {9, 8}), {7, 7})),
              ElementsAre(1, 2, 3, 4, 9, 8));
}

TEST(Movement, PadAddsCropsAndSpreads) {
  const Tensor zero = i32({}, {0});
  const Tensor line = i32({3}, {1, 2, 3});
  EXPECT_THAT(values(pad(line, zero, {1}, {1}, {8})),
              ElementsAre(0, 1, 0, 2, 0, 3, 0, 0));
  // low = -1, high = -1: only the middle element is left.
  EXPECT_THAT(values(pad(line, zero, {-1}, {0}, {1})), ElementsAre(2));
  // low = -1, interior = 1: positions -1, 1, 3.
  EXPECT_THAT(values(pad(line, zero, {-1}, {1}, {4})), ElementsAre(0, 2, 0, 3));
  // Everything cropped away, then padded.
  EXPECT_THAT(values(pad(line, zero, {-5}, {0}, {2})), ElementsAre(0, 0));
}

TEST(Movement, ConcatenateWithSplatAndEmpty) {
  const Tensor splat = Tensor::filled(ElementType::I32, {2, 1}, 9);
  const Tensor empty = Tensor::zeros(ElementType::I32, {2, 0});
  EXPECT_THAT(values(concatenate({splat, empty, matrix}, 1)),
              ElementsAre(9, 1, 2, 3, 9, 4, 5, 6));
}

TEST(Movement, EqualPart) {
  EXPECT_THAT(values(equalPart(matrix, 1, 2, 3)), ElementsAre(3, 6));
}

TEST(Movement, Iota) {
  EXPECT_THAT(values(iota(ElementType::F32, {2, 3}, 1)),
              ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(values(iota(ElementType::U8, {2, 2}, 0)),
              ElementsAre(0, 0, 1, 1));
}

TEST(Movement, BitcastToOtherWidths) {
  EXPECT_THAT(values(bitcast(f32({1}, {1.0f}), ElementType::U32, {1})),
              ElementsAre(0x3f800000));
  EXPECT_THAT(values(bitcast(i32({1}, {0x04030201}), ElementType::U8, {1, 4})),
              ElementsAre(1, 2, 3, 4));
}

} // namespace
} // namespace shardsmith
