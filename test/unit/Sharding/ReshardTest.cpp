// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Sharding/Reshard.h"
#include "../FirstSeed.h"

#include "CheapestReshard.h"
#include "SimulatedTensor.h"

#include "llvm/ADT/Sequence.h"

#include <gtest/gtest.h>

#include <set>

using namespace shardsmith;

namespace {

constexpr int64_t elementBytes = 4;

const Mesh xy({{"x", 2}, {"y", 2}});
constexpr MeshAxis x = 0, y = 1;

Layout layout(std::initializer_list<AxisList> dims, AxisList partial = {}) {
  Layout result;
  result.dims.assign(dims.begin(), dims.end());
  result.partial = partial;
  return result;
}

using Kind = ReshardStep::Kind;

std::vector<Kind> kindsOf(llvm::ArrayRef<ReshardStep> steps) {
  std::vector<Kind> kinds;
  for (const ReshardStep &step : steps)
    kinds.push_back(step.kind);
  return kinds;
}

struct Case {
  Layout from, to;
  std::vector<Kind> kinds;
  int64_t bytes;
};

// An 8x8 tensor of 4-byte elements is 256 bytes, 64 in four shards.
TEST(ReshardTest, TakesTheObviousSteps) {
  const Case cases[] = {
      {layout({{x}, {y}}), layout({{x}, {y}}), {}, 0},
      {layout({{}, {}}),
       layout({{x}, {y}}),
       {Kind::AllSlice, Kind::AllSlice},
       0},
      {layout({{x}, {y}}), layout({{y}, {x}}), {Kind::CollectivePermute}, 64},
      {layout({{x}, {}}), layout({{}, {x}}), {Kind::AllToAll}, 64},
      {layout({{x, y}, {}}), layout({{x}, {}}), {Kind::AllGather}, 64},
      {layout({{}, {}}, {x}), layout({{}, {}}), {Kind::AllReduce}, 256},
      {layout({{}, {}}, {x}), layout({{x}, {}}), {Kind::ReduceScatter}, 128},
      {layout({{}, {}}), layout({{}, {}}, {x}), {Kind::MakePartial}, 0},
      // Slicing along y first halves what is reduced.
      {layout({{}, {}}, {x}),
       layout({{x}, {y}}),
       {Kind::AllSlice, Kind::ReduceScatter},
       64},
      // Moving x to its place is cheaper than renaming it to y.
      {layout({{x}, {}}),
       layout({{y}, {x}}),
       {Kind::AllToAll, Kind::AllSlice},
       64},
  };
  for (const Case &c : cases) {
    auto steps = decomposeReshard(xy, {8, 8}, elementBytes, c.from, c.to);
    SCOPED_TRACE(c.from.str(xy) + " -> " + c.to.str(xy));
    EXPECT_EQ(kindsOf(steps), c.kinds);
    EXPECT_EQ(getReshardBytes(steps).count(), c.bytes);
  }
}

// 10 rows over 2x3: shards of {x} have 5 rows, those of {x, y} two, so a
// device's two rows are not a part of its five.
TEST(ReshardTest, GathersWholeWhereShardsDoNotNest) {
  Mesh mesh({{"x", 2}, {"y", 3}});
  auto steps = decomposeReshard(mesh, {10}, elementBytes, layout({{0, 1}}),
                                layout({{0}}));
  EXPECT_EQ(kindsOf(steps), (std::vector{Kind::AllGather, Kind::AllSlice}));
  EXPECT_EQ(steps.front().axes, (AxisList{0, 1}));

  steps = decomposeReshard(mesh, {12}, elementBytes, layout({{0, 1}}),
                           layout({{0}}));
  EXPECT_EQ(kindsOf(steps), (std::vector{Kind::AllGather}));
  EXPECT_EQ(steps.front().axes, (AxisList{1}));
}

TEST(ReshardTest, PadsBeforeReduceScatter) {
  auto steps = decomposeReshard(xy, {5}, elementBytes, layout({{}}, {x, y}),
                                layout({{x, y}}));
  ASSERT_EQ(kindsOf(steps), (std::vector{Kind::ReduceScatter}));
  EXPECT_EQ(steps.front().inputShape, (llvm::SmallVector<int64_t>{8}));
  EXPECT_EQ(steps.front().bytes.count(), 3 * 8 * elementBytes / 4);
}

TEST(ReshardTest, PermuteIsABijection) {
  Mesh mesh({{"x", 4}, {"y", 2}, {"z", 2}});
  auto pairs = getPermutePairs(mesh, layout({{0}, {}}), layout({{1, 2}, {}}));
  std::set<int64_t> sources, targets;
  for (auto [source, target] : pairs) {
    sources.insert(source);
    targets.insert(target);
    EXPECT_EQ(mesh.getShardIndex(source, {0}),
              mesh.getShardIndex(target, {1, 2}));
  }
  EXPECT_EQ(sources.size(), 16u);
  EXPECT_EQ(targets.size(), 16u);
}

/// The axes along which source and target differ in some pair.
AxisList getAxesOf(const Mesh &mesh,
                   llvm::ArrayRef<std::pair<int64_t, int64_t>> pairs) {
  AxisList axes;
  for (MeshAxis axis = 0; axis < mesh.getAxisCount(); ++axis)
    if (llvm::any_of(pairs, [&](std::pair<int64_t, int64_t> pair) {
          return mesh.getCoordinate(pair.first, axis) !=
                 mesh.getCoordinate(pair.second, axis);
        }))
      axes.push_back(axis);
  return axes;
}

TEST(ReshardTest, PermutesNameTheAxesAlongWhichDevicesMove) {
  Mesh mesh({{"data", 2}, {"context", 2}, {"tensor", 2}, {"one", 1}});
  auto axesOf = [&](const Layout &before, const Layout &after) {
    return getPermuteAxes(mesh, before, after);
  };
  EXPECT_EQ(axesOf(layout({{0, 1}, {2}}), layout({{0, 2}, {1}})),
            (AxisList{1, 2}));
  EXPECT_EQ(axesOf(layout({{1}, {}}), layout({{2}, {}})), (AxisList{1, 2}));
  EXPECT_EQ(axesOf(layout({{0, 1, 2}}), layout({{1, 0, 2}})), (AxisList{0, 1}));
  EXPECT_EQ(axesOf(layout({{1}, {}}, {0}), layout({{2}, {}}, {0})),
            (AxisList{1, 2}));
  EXPECT_EQ(axesOf(layout({{3, 0}}), layout({{0, 3}})), AxisList());
}

//===----------------------------------------------------------------------===//
// Against the cheapest sequence of collectives
//===----------------------------------------------------------------------===//

struct Gap {
  int64_t pairs = 0;
  int64_t dearer = 0;
  double worst = 1;
};

/// Compares all pairs of layouts between which a value may be resharded; the
/// target is partial only where the source is.
Gap measureGap(const Mesh &mesh, unsigned rank) {
  Gap gap;
  Shape shape(rank, 48);
  auto layouts = CheapestReshard::allLayouts(mesh, rank);
  for (const Layout &from : layouts) {
    CheapestReshard cheapest(mesh, shape, elementBytes, from);
    for (const Layout &to : layouts) {
      if (!llvm::all_of(to.partial, [&](MeshAxis axis) {
            return llvm::is_contained(from.partial, axis);
          }))
        continue;
      Bytes cost = getReshardBytes(
          decomposeReshard(mesh, shape, elementBytes, from, to));
      Bytes best = cheapest.costOf(to);
      EXPECT_GE(cost, best) << from.str(mesh) << " -> " << to.str(mesh);
      ++gap.pairs;
      if (cost <= best)
        continue;
      ++gap.dearer;
      EXPECT_NE(best.count(), 0) << from.str(mesh) << " -> " << to.str(mesh);
      gap.worst = std::max(gap.worst, double(cost.count()) / best.count());
    }
  }
  return gap;
}

TEST(ReshardTest, IsCheapestOnOneAxis) {
  for (int64_t size : {2, 3, 4})
    for (unsigned rank : {0, 1, 2, 3})
      EXPECT_EQ(measureGap(Mesh({{"x", size}}), rank).dearer, 0);
}

// The greedy order is not optimal on two axes. This pins how far it is off:
// the dear pairs move both axes between dimensions or reverse their order.
TEST(ReshardTest, IsNearlyCheapestOnTwoAxes) {
  for (auto [first, second] : {std::pair(2, 2), {4, 2}, {2, 4}, {4, 4}, {2, 3}})
    for (unsigned rank : {1, 2}) {
      Gap gap = measureGap(Mesh({{"x", first}, {"y", second}}), rank);
      EXPECT_LE(gap.dearer, gap.pairs * 22 / 100);
      EXPECT_LE(gap.worst, 3.3);
    }
}

//===----------------------------------------------------------------------===//
// Random layouts, carried out on simulated devices
//===----------------------------------------------------------------------===//

class RandomCases {
public:
  explicit RandomCases(unsigned seed) : random(seed) {}

  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  Mesh mesh() {
    llvm::SmallVector<Mesh::Axis> axes;
    int64_t count = draw(1, 3);
    for (int64_t i = 0; i < count; ++i)
      axes.push_back({std::string(1, static_cast<char>('x' + i)), draw(2, 3)});
    return Mesh(axes);
  }

  Layout layout(const Mesh &mesh, unsigned rank, ReductionKind kind) {
    Layout result = Layout::replicated(rank);
    auto axes = llvm::to_vector(llvm::seq<MeshAxis>(mesh.getAxisCount()));
    std::shuffle(axes.begin(), axes.end(), random);
    AxisList partial;
    for (MeshAxis axis : axes) {
      int64_t place = draw(-2, static_cast<int64_t>(rank) - 1);
      if (place >= 0)
        result.dims[place].push_back(axis);
      else if (place == -1)
        partial.push_back(axis);
    }
    result.addPartial(partial, kind);
    return result;
  }

  std::mt19937 random;
};

TEST(ReshardTest, RandomLayoutsReachTheirTarget) {
  unsigned seed = unsigned(shardsmith::test::firstSeed());
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomCases cases(seed);
  for (int trial = 0; trial < 4000; ++trial) {
    Mesh mesh = cases.mesh();
    unsigned rank = cases.draw(0, 3);
    Shape shape;
    for (unsigned dim = 0; dim < rank; ++dim)
      shape.push_back(cases.draw(1, 9));
    auto kind = [&] {
      return cases.draw(0, 4) ? ReductionKind::Sum : ReductionKind::Max;
    };
    Layout from = cases.layout(mesh, rank, kind());
    Layout to = cases.layout(mesh, rank, kind());
    Array global(shape);
    for (int64_t &value : global.values)
      value = cases.draw(-1000, 1000);

    auto steps = decomposeReshard(mesh, shape, elementBytes, from, to);
    SimulatedTensor tensor(mesh, global, from, cases.random);
    ASSERT_EQ(tensor.check(from), "");
    Layout current = from;
    for (const ReshardStep &step : steps) {
      ASSERT_EQ(step.before, current);
      if (step.kind == Kind::CollectivePermute)
        ASSERT_EQ(step.axes, getAxesOf(mesh, getPermutePairs(mesh, step.before,
                                                             step.after)));
      tensor.apply(step);
      current = step.after;
      ASSERT_EQ(tensor.check(current), "")
          << from.str(mesh) << " -> " << to.str(mesh) << " at "
          << current.str(mesh);
    }
    ASSERT_EQ(current, to) << from.str(mesh) << " -> " << to.str(mesh);
  }
}

} // namespace
