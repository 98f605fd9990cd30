// SPDX-License-Identifier: Apache-2.0
//
// Sets of readings that readers agree on, for all splits of small blocks.

#include "../../../../lib/Plan/Blocks/BlockVariables.h"
#include "../../FirstSeed.h"
#include "RandomBlock.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardsmith::blocks {
namespace {

using namespace workload;

struct Instance {
  Instance(RandomBlock &random, ReadingSets sets)
      : workload(random.make()), block(workload.blocks.front()),
        shapes(block, settingOf(random)),
        variables(block, shapes, false, sets, scopes) {}

  static UnitSetting settingOf(RandomBlock &random) {
    UnitSetting setting;
    setting.tensor = 2 + int64_t(random.below(3));
    return setting;
  }

  /// Calls `visit(tensor, read, allowed)` for all splits of ops and tensors
  /// with several readers: what they read, and the sets in which all of them
  /// find it.
  template <typename Visit> void eachTensor(Visit visit) {
    std::vector<Variable> ops;
    for (OpIndex op = 0; op < block.ops.size(); ++op)
      ops.push_back(Variable(op));
    scopes.eachValue(ops, [&](const Values &values) {
      for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor)
        if (!variables.readersOf(tensor).empty())
          visit(readBy(tensor, values), allowed(tensor, values));
    });
  }

private:
  ReadingSet readBy(TensorIndex tensor, const Values &values) const {
    ReadingSet read;
    for (const BlockVariables::Reader &reader : variables.readersOf(tensor))
      read.insert(shapes.reading(reader.op,
                                 variables.splits(reader.op)[values[reader.op]],
                                 reader.operand));
    return read;
  }

  std::vector<ReadingSet> allowed(TensorIndex tensor, Values values) const {
    std::vector<BlockVariables::Reader> readers = variables.readersOf(tensor);
    Variable set = readers.front().set;
    std::vector<ReadingSet> sets;
    for (uint32_t value = 0; value < scopes.sizeOf(set); ++value) {
      values[set] = value;
      if (std::ranges::all_of(readers, [&](const auto &reader) {
            return variables.finds(tensor, reader, values);
          }))
        sets.push_back(variables.useOf(tensor, values).readings);
    }
    return sets;
  }

  Workload workload;
  const Block &block;
  BlockShapes shapes;
  TableScopes scopes;
  BlockVariables variables;
};

TEST(BlockVariables, ExactSetsAreWhatReadersRead) {
  uint64_t seed = test::firstSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomBlock random(seed);
  size_t several = 0;
  for (int i = 0; i < 300; ++i) {
    Instance instance(random, ReadingSets::ThoseRead);
    instance.eachTensor(
        [&](ReadingSet read, const std::vector<ReadingSet> &allowed) {
          EXPECT_EQ(allowed, std::vector{read});
          several += read.hasPartialGradient() && read.splitDims();
        });
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(several, 100u);
}

TEST(BlockVariables, OtherSetsHoldWhatReadersRead) {
  uint64_t seed = test::firstSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomBlock random(seed);
  size_t more = 0;
  for (int i = 0; i < 300; ++i) {
    Instance instance(random, ReadingSets::AtLeastThoseRead);
    instance.eachTensor(
        [&](ReadingSet read, const std::vector<ReadingSet> &allowed) {
          EXPECT_EQ(std::ranges::count(allowed, read), 1);
          for (ReadingSet each : allowed) {
            EXPECT_EQ(each.splitDims() & read.splitDims(), read.splitDims());
            EXPECT_GE(each.readsWhole(), read.readsWhole());
            more += each != read;
          }
        });
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(more, 100u);
}

} // namespace
} // namespace shardsmith::blocks
