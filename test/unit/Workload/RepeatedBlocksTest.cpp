// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Workload/RepeatedBlocks.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace shardsmith::workload;

namespace {

/// Positions that the first position of each class stands for.
std::vector<size_t> classSizes(const std::vector<unsigned> &sequence) {
  std::vector<size_t> sizes(sequence.size(), 0);
  std::vector<size_t> tied = tieRepeats(sequence);
  for (size_t i = 0; i < tied.size(); ++i) {
    EXPECT_EQ(sequence[i], sequence[tied[i]]);
    EXPECT_EQ(tied[tied[i]], tied[i]);
    ++sizes[tied[i]];
  }
  return sizes;
}

TEST(RepeatedBlocks, LayersAreTied) {
  // An embedding, 96 layers of 20 ops, a loss, 96 layers back.
  std::vector<unsigned> sequence = {1000, 1001, 1002};
  for (int layer = 0; layer < 96; ++layer)
    for (unsigned op = 0; op < 20; ++op)
      sequence.push_back(op % 7 * 3);
  sequence.push_back(1003);
  for (int layer = 0; layer < 96; ++layer)
    for (unsigned op = 0; op < 31; ++op)
      sequence.push_back(500 + op * op % 13);
  std::vector<size_t> sizes = classSizes(sequence);
  size_t classes = sizes.size() - std::count(sizes.begin(), sizes.end(), 0u);
  EXPECT_LE(classes, 3u + 20 + 1 + 31 + 20);
  EXPECT_EQ(sizes[0], 1u);
}

TEST(RepeatedBlocks, NothingIsTiedWithoutRepeats) {
  std::vector<unsigned> sequence;
  for (unsigned i = 0; i < 500; ++i)
    sequence.push_back(i);
  std::vector<size_t> sizes = classSizes(sequence);
  EXPECT_EQ(std::count(sizes.begin(), sizes.end(), 1u), 500);
  EXPECT_TRUE(tieRepeats({}).empty());
}

TEST(RepeatedBlocks, RunsAreFoundLeftAndRight) {
  // Four blocks of 10, something else, three blocks of 12.
  std::vector<unsigned> sequence = {900};
  for (int block = 0; block < 4; ++block)
    for (unsigned op = 0; op < 10; ++op)
      sequence.push_back(op);
  sequence.push_back(901);
  for (int block = 0; block < 3; ++block)
    for (unsigned op = 0; op < 12; ++op)
      sequence.push_back(100 + op);
  std::vector<RepeatRun> runs = findRepeats(sequence);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].begin, 1u);
  EXPECT_EQ(runs[0].end, 41u);
  EXPECT_EQ(runs[0].period, 10u);
  EXPECT_EQ(runs[1].begin, 42u);
  EXPECT_EQ(runs[1].end, 78u);
  EXPECT_EQ(runs[1].period, 12u);
}

} // namespace
