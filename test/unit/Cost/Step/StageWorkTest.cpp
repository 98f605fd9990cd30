// SPDX-License-Identifier: Apache-2.0
//
// The work of a stage is that of its units, one by one, however many of them
// are alike: drawn chains whose neighbours may have the same block, stages that
// begin and end anywhere, shared parameters.

#include "shardsmith/Cost/Step/StageWork.h"
#include "../../FirstSeed.h"
#include "shardsmith/Workload/Workload.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardsmith {
namespace {

class DrawnStage {
public:
  explicit DrawnStage(uint64_t seed) : random(seed) {
    workload.blocks.resize(size_t(draw(1, 3)));
    for (size_t block = 0; block < workload.blocks.size(); ++block)
      units.push_back(unit());
    for (int64_t segment = draw(1, 5); segment > 0; --segment) {
      workload::Segment &added = workload.segments.emplace_back();
      added.block =
          workload::BlockIndex(draw(0, int64_t(workload.blocks.size()) - 1));
      added.count = draw(1, 6);
    }
    stage.begin = draw(0, workload.unitCount() - 1);
    stage.end = draw(stage.begin + 1, workload.unitCount());
    // Few changes, so that runs are longer than a unit.
    auto choice = Recompute(draw(0, 2));
    for (int64_t unit = stage.begin; unit < stage.end; ++unit) {
      if (draw(0, 3) == 0)
        choice = Recompute(draw(0, 2));
      stage.recompute.push_back(choice);
    }
  }

  StageWork oneByOne() const {
    StageWork work;
    int64_t behind = 0;
    for (const workload::Segment &segment : workload.segments)
      for (int64_t i = 0; i < segment.count; ++i, ++behind)
        if (behind >= stage.begin && behind < stage.end)
          work.append(units[segment.block],
                      stage.recompute[size_t(behind - stage.begin)]);
    return work;
  }

  workload::Workload workload;
  Stage stage;
  std::vector<UnitCosts> units;

private:
  int64_t draw(int64_t least, int64_t most) {
    return std::uniform_int_distribution(least, most)(random);
  }
  Nanoseconds time() { return Nanoseconds(draw(0, 1000)); }
  UnitCosts unit() {
    UnitCosts unit;
    unit.forward = time();
    unit.backwardInput = time();
    unit.backwardWeight = time();
    unit.forwardCommunication =
        unit.forwardCommunication.map([&](Nanoseconds) { return time(); });
    unit.backwardCommunication =
        unit.backwardCommunication.map([&](Nanoseconds) { return time(); });
    std::ranges::generate(unit.recompute, [&] { return time(); });
    std::ranges::generate(unit.saved, [&] { return Bytes(draw(0, 1000)); });
    unit.transient = Bytes(draw(0, 1000));
    unit.denseParameters = draw(0, 1000);
    unit.expertParameters = draw(0, 1000);
    unit.partialParameters = draw(0, 1000);
    for (unsigned group = 0; group < 2; ++group)
      if (draw(0, 1) == 0)
        unit.shared.push_back({{group, int64_t(group) + 2},
                               draw(0, 1000),
                               draw(0, 1000),
                               draw(0, 1000)});
    unit.outputBytes = Bytes(draw(0, 1000));
    return unit;
  }

  std::mt19937_64 random;
};

TEST(StageWorkTest, IsTheWorkOfItsUnits) {
  uint64_t seed = test::firstSeed();
  for (int run = 0; run < 2000; ++run, ++seed) {
    DrawnStage drawn(seed);
    ASSERT_EQ(workOf(drawn.workload, drawn.stage, drawn.units),
              drawn.oneByOne())
        << "SHARDSMITH_TEST_SEED=" << seed;
  }
}

} // namespace
} // namespace shardsmith
