// SPDX-License-Identifier: Apache-2.0

#include "Kernels/Indexing.h"

#include "TensorBuilders.h"

namespace shardsmith {
namespace {

std::vector<std::pair<int64_t, int64_t>>
scatterPairs(llvm::ArrayRef<int64_t> operandShape, const Tensor &indices,
             llvm::ArrayRef<int64_t> updateShape, const IndexingDims &dims) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  visitScatter(operandShape, indices, updateShape, dims,
               [&](int64_t target, int64_t update) {
                 pairs.emplace_back(target, update);
               });
  return pairs;
}

TEST(Gather, RowsOfATableClamped) {
  const Tensor table = i32({3, 2}, {0, 1, 10, 11, 20, 21});
  EXPECT_THAT(
      values(gather(table, i32({3, 1}, {2, -4, 9}),
                    IndexingDims{{1}, {0}, {}, {}, {0}, 1}, {1, 2}, {3, 2})),
      ElementsAre(20, 21, 0, 1, 20, 21));
}

TEST(Gather, ImplicitIndexVector) {
  const Tensor table = i32({3}, {5, 6, 7});
  EXPECT_THAT(values(gather(table, i32({2}, {2, 0}),
                            IndexingDims{{}, {0}, {}, {}, {0}, 1}, {1}, {2})),
              ElementsAre(7, 5));
}

TEST(Gather, BatchingDimsFollowTheIndices) {
  const Tensor table = i32({2, 3}, {0, 1, 2, 10, 11, 12});
  // result[b, i] = table[b, indices[b, i]]
  EXPECT_THAT(
      values(gather(table, i32({2, 2, 1}, {2, 0, 1, 1}),
                    IndexingDims{{}, {1}, {0}, {0}, {1}, 2}, {1, 1}, {2, 2})),
      ElementsAre(2, 0, 11, 11));
}

TEST(Gather, WindowsBeforeBatch) {
  const Tensor table = i32({4}, {1, 2, 3, 4});
  // offset_dims = [0]: windows run down the columns.
  EXPECT_THAT(
      values(gather(table, i32({2, 1}, {0, 2}),
                    IndexingDims{{0}, {}, {}, {}, {0}, 1}, {2}, {2, 2})),
      ElementsAre(1, 3, 2, 4));
}

TEST(Scatter, SkipsWhatFallsOutside) {
  EXPECT_THAT(scatterPairs({2, 2}, i32({3, 1}, {1, -1, 5}), {3, 2},
                           IndexingDims{{1}, {0}, {}, {}, {0}, 1}),
              ElementsAre(std::pair(2, 0), std::pair(3, 1)));
}

TEST(Scatter, PartOfAWindowMayBeOutside) {
  EXPECT_THAT(scatterPairs({3}, i32({1}, {2}), {2},
                           IndexingDims{{0}, {}, {}, {}, {0}, 0}),
              ElementsAre(std::pair(2, 0)));
}

} // namespace
} // namespace shardsmith
