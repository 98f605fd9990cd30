// SPDX-License-Identifier: Apache-2.0
//
// Expected bits were made by XLA's CPU backend.

#include "Kernels/RandomBits.h"

#include "TensorBuilders.h"

namespace shardsmith {
namespace {

std::vector<uint64_t> words(const Tensor &tensor) {
  std::vector<uint64_t> result;
  for (int64_t i = 0; i < tensor.size(); ++i)
    result.push_back(tensor.type() == ElementType::U64
                         ? tensor.data<uint64_t>()[i]
                         : tensor.asInteger(i));
  return result;
}

const Tensor state = Tensor::of<uint64_t>(ElementType::U64, {2}, {3, 5});

TEST(RandomBits, ThreeFry64) {
  auto [next, bits] =
      randomBits(RandomAlgorithm::ThreeFry, state, ElementType::U64, {3});
  EXPECT_THAT(words(next), ElementsAre(3, 8));
  EXPECT_THAT(words(bits),
              ElementsAre(15482341407848512611u, 13600668787364812537u,
                          4527902657714873468u));
}

TEST(RandomBits, ThreeFry32SharesBlocksAlongTheEvenDim) {
  auto [next, bits] =
      randomBits(RandomAlgorithm::ThreeFry, state, ElementType::U32, {2, 3});
  EXPECT_THAT(words(next), ElementsAre(3, 8));
  EXPECT_THAT(words(bits), ElementsAre(1109507171, 3802093305, 849634428,
                                       3604763515, 3166652467, 1054234490));
}

TEST(RandomBits, ThreeFryOddSizesSplitTheLargestDim) {
  auto [next, bits] =
      randomBits(RandomAlgorithm::ThreeFry, state, ElementType::U16, {3, 5});
  EXPECT_THAT(words(next), ElementsAre(3, 14));
  EXPECT_THAT(words(bits),
              ElementsAre(48227, 21371, 22265, 18483, 25724, 37990, 6582, 13215,
                          36942, 15344, 4878, 44445, 24374, 47872, 57999));
}

TEST(RandomBits, ThreeFryScalar) {
  auto [next, bits] =
      randomBits(RandomAlgorithm::ThreeFry, state, ElementType::U8, {});
  EXPECT_THAT(words(next), ElementsAre(3, 6));
  EXPECT_THAT(words(bits), ElementsAre(99));
}

TEST(RandomBits, Philox) {
  auto [next, bits] =
      randomBits(RandomAlgorithm::Philox, state, ElementType::U32, {5});
  EXPECT_THAT(words(next), ElementsAre(3, 7));
  EXPECT_THAT(words(bits), ElementsAre(514065308, 1112787925, 433431800,
                                       1887756390, 1925109534));
  auto [next64, bits64] =
      randomBits(RandomAlgorithm::Philox, state, ElementType::U64, {3});
  EXPECT_THAT(words(next64), ElementsAre(3, 7));
  EXPECT_THAT(words(bits64),
              ElementsAre(4779387745772766108u, 8107851958298453240u,
                          965454035261773598u));
}

} // namespace
} // namespace shardsmith
