// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Programs/MeshTimes.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cost/Paths/AxisPaths.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace shardsmith;

namespace {

Cluster builtin(const char *name) { return *findCluster(name).cluster; }

Cluster read(const std::string &text) {
  ClusterResult result = readCluster(text);
  EXPECT_TRUE(result.cluster) << result.errorText();
  return *result.cluster;
}

/// Links of 10 GB/s and 2 us inside nodes, of 10 GB/s and 5 us between them,
/// one per node; devices of 1 Tflop/s and 100 GB/s, half of which is reached,
/// with launches of 4 us.
Cluster plainCluster(int64_t nodes, int64_t perNode) {
  return read(R"({"version": 1, "device_types": {"d": {"kind": "cpu",
      "memory_gib": 16, "memory_reserved_gib": 1,
      "memory_bandwidth_gb_per_s": 100, "peak_tflops": {"f32": 1},
      "efficiency": {"matmul": 0.5, "memory": 0.5}, "kernel_launch_us": 4}},
    "link_types": {"l": {"bandwidth_gb_per_s": 10, "latency_us": 2,
                         "efficiency": 1},
                   "n": {"bandwidth_gb_per_s": 10, "latency_us": 5,
                         "efficiency": 1}},
    "groups": [{"name": "g", "network": {"link": "n"}, "node": {"count": )" +
              std::to_string(nodes) +
              R"(, "devices": [{"type": "d", "count": )" +
              std::to_string(perNode) +
              R"(}], "fabric": {"link": "l"},
       "nics": {"link": "n", "count": 1}}}]})");
}

/// Products at the device's rate, element-wise traffic times 1.5.
StackProfile plainProfile() {
  StackProfile profile;
  profile.matmulRate = 1;
  profile.elementwiseTraffic = 1.5;
  profile.expertHalfRateTokens = 100;
  profile.expertImbalance = 1.25;
  return profile;
}

/// Everything that prices on one mesh of a cluster.
struct Machine {
  Machine(Cluster described, llvm::ArrayRef<Mesh::Axis> axes,
          StackProfile stack = plainProfile())
      : cluster(std::move(described)), topology(cluster),
        profile(std::move(stack)), times(topology, profile, Mesh(axes)) {}

  Nanoseconds collective(CollectiveKind kind, llvm::ArrayRef<MeshAxis> axes,
                         int64_t bytes) const {
    return times.collective(kind, axes, Bytes(bytes));
  }

  Cluster cluster;
  ClusterTopology topology;
  StackProfile profile;
  MeshTimes times;
};

constexpr CollectiveKind kinds[] = {
    CollectiveKind::AllReduce, CollectiveKind::AllGather,
    CollectiveKind::ReduceScatter, CollectiveKind::AllToAll};

TEST(MeshTimes, CollectivesGrowWithSize) {
  Machine machine(builtin("8xh100"), {{"a", 8}});
  for (CollectiveKind kind : kinds) {
    Nanoseconds before = machine.collective(kind, {0}, 1024), first = before;
    EXPECT_GT(before, Nanoseconds(0));
    for (int64_t bytes = 4096; bytes <= int64_t(1) << 40; bytes *= 4) {
      Nanoseconds time = machine.collective(kind, {0}, bytes);
      EXPECT_GE(time, before) << stringifyCollectiveKind(kind).str();
      before = time;
    }
    EXPECT_GT(before, first * 1000);
  }
}

TEST(MeshTimes, CollectivesOfOneMemberAreFree) {
  Machine machine(builtin("4xa100-80"), {{"a", 4}, {"b", 1}});
  for (CollectiveKind kind : kinds)
    EXPECT_EQ(machine.collective(kind, {1}, 1 << 20), Nanoseconds(0));
}

TEST(MeshTimes, SizesAreThoseOfOneMember) {
  Machine machine(plainCluster(1, 4), {{"a", 4}});
  // 4 MB over 4 members at 10 GB/s: 100 us per part and hop, 2 us latency.
  int64_t whole = 4000000, part = 1000000;
  EXPECT_EQ(machine.collective(CollectiveKind::AllGather, {0}, part),
            Nanoseconds(3 * 102000));
  EXPECT_EQ(machine.collective(CollectiveKind::ReduceScatter, {0}, whole),
            Nanoseconds(3 * 102000));
  EXPECT_EQ(machine.collective(CollectiveKind::AllToAll, {0}, whole),
            Nanoseconds(3 * 102000));
  EXPECT_EQ(machine.collective(CollectiveKind::AllReduce, {0}, whole),
            Nanoseconds(2 * 3 * 102000));
}

ReshardStep stepOf(ReshardStep::Kind kind, AxisList axes, int64_t elements) {
  ReshardStep step{kind};
  step.axes = std::move(axes);
  step.inputShape = {elements};
  return step;
}

TEST(MeshTimes, PermutesShareTheInterfacesOfTheirNode) {
  // Both members of a node send at once: 5 GB/s each, 200 us for 1 MB.
  Machine machine(plainCluster(2, 2), {{"a", 4}});
  ReshardStep step = stepOf(ReshardStep::Kind::CollectivePermute, {0}, 250000);
  EXPECT_EQ(machine.times.step(step, 4), Nanoseconds(205000));
}

TEST(MeshTimes, PermutesAlongAxesOfANodeStayInIt) {
  // 10 GB/s and 2 us, as messages of its other collectives.
  Machine machine(plainCluster(2, 4), {{"a", 2}, {"b", 2}, {"c", 2}});
  ReshardStep step =
      stepOf(ReshardStep::Kind::CollectivePermute, {1, 2}, 250000);
  EXPECT_EQ(machine.times.step(step, 4), Nanoseconds(102000));
  step.axes = {};
  EXPECT_EQ(machine.times.step(step, 4), Nanoseconds(0));
}

TEST(MeshTimes, SlicesCopyWhatTheyKeep) {
  // 1 MB of 4 MB is read and written: 2 MB, one and a half times, at 50 GB/s.
  Machine machine(plainCluster(1, 4), {{"a", 4}});
  ReshardStep slice = stepOf(ReshardStep::Kind::AllSlice, {0}, 1000000);
  EXPECT_EQ(machine.times.step(slice, 4), Nanoseconds(60000 + 4000));
  ReshardStep partial = stepOf(ReshardStep::Kind::MakePartial, {0}, 250000);
  EXPECT_EQ(machine.times.step(partial, 4), Nanoseconds(60000 + 4000));
  std::vector<ReshardStep> both = {slice, partial};
  EXPECT_EQ(machine.times.reshard(both, 4), Nanoseconds(2 * 64000));
}

std::vector<std::pair<std::string, int64_t>> levelsOf(const GroupPath &path) {
  std::vector<std::pair<std::string, int64_t>> levels;
  for (const PathLevel &level : path.levels)
    levels.emplace_back(level.name, level.fanout);
  return levels;
}

TEST(MeshTimes, AxesLieOnTheLinksOfTheirRanks) {
  using Levels = std::vector<std::pair<std::string, int64_t>>;
  Machine machine(builtin("64xh100"), {{"nodes", 8}, {"local", 8}});
  const MeshTimes &times = machine.times;
  EXPECT_EQ(levelsOf(times.path({0})), (Levels{{"network", 8}}));
  EXPECT_EQ(levelsOf(times.path({1})), (Levels{{"node", 8}}));
  EXPECT_EQ(levelsOf(times.path({0, 1})),
            (Levels{{"node", 8}, {"network", 8}}));
  EXPECT_EQ(times.path({1, 0}), times.path({0, 1}));
  EXPECT_EQ(times.path({0, 1}).members, 64);
  EXPECT_LT(machine.collective(CollectiveKind::AllReduce, {1}, 1 << 26),
            machine.collective(CollectiveKind::AllReduce, {0}, 1 << 26));
}

TEST(MeshTimes, AxesWithOneBetweenThemNest) {
  using Levels = std::vector<std::pair<std::string, int64_t>>;
  Machine machine(builtin("64xh100"),
                  {{"a", 2}, {"one", 1}, {"b", 8}, {"c", 4}});
  const MeshTimes &times = machine.times;
  // Members of one node are 4 apart.
  EXPECT_EQ(levelsOf(times.path({2})), (Levels{{"node", 2}, {"network", 4}}));
  EXPECT_EQ(times.path({0, 2}).members, 16);
  EXPECT_EQ(times.path({0, 1, 2}), times.path({0, 2}));
  EXPECT_EQ(levelsOf(times.path({0, 2})),
            (Levels{{"node", 2}, {"network", 8}}));
  EXPECT_EQ(levelsOf(times.path({0, 3})),
            (Levels{{"node", 4}, {"network", 2}}));
}

/// The same group and the same bytes cost the strategy search as much.
TEST(MeshTimes, AgreesWithTheStrategySearchOnAxes) {
  Machine machine(builtin("32xh100"), {{"data", 8}, {"tensor", 4}});
  Strategy strategy;
  strategy.tensor = 4;
  strategy.data = 8;
  strategy.deviceOrder = {PlanAxis::Tensor, PlanAxis::Context, PlanAxis::Data,
                          PlanAxis::Pipeline};
  AxisPaths paths(machine.topology, strategy);
  CollectiveTimes collectives(machine.cluster, machine.profile);
  for (auto [axis, name] :
       {std::pair(0u, PlanAxis::Data), std::pair(1u, PlanAxis::Tensor)})
    EXPECT_EQ(
        machine.collective(CollectiveKind::ReduceScatter, {axis}, 1 << 24),
        collectives
            .time(CollectiveOp::ReduceScatter, paths.axis(name, 0),
                  Bytes(1 << 24))
            .time);
}

TEST(MeshTimes, CalibrationReplacesTheFormula) {
  Cluster cluster = builtin("8xh100");
  Calibration curve;
  curve.collective = "all_gather";
  curve.scope = "g.node";
  curve.groupSize = 8;
  curve.points = {{1 << 10, 20e-6}, {1 << 20, 80e-6}};
  cluster.calibration.push_back(curve);
  Machine machine(cluster, {{"a", 8}});
  // Curves count the whole tensor, of which a member puts in an eighth.
  auto time = [&](int64_t bytes) {
    return machine.collective(CollectiveKind::AllGather, {0}, bytes / 8)
        .count();
  };
  EXPECT_EQ(time(1 << 10), 20000);
  EXPECT_NEAR(double(time(1 << 15)), 40000, 2);  // half way in both logarithms
  EXPECT_NEAR(double(time(1 << 22)), 320000, 2); // at the last bandwidth
}

class KernelPrices : public testing::Test {
protected:
  Nanoseconds price(const OpWork &work) {
    return machine.times.kernel(work, Float32Type::get(&context));
  }

  MLIRContext context;
  Machine machine = Machine(plainCluster(1, 1), {{"a", 1}});
};

TEST_F(KernelPrices, OpsWithoutProductsAreBoundByMemory) {
  OpWork work{OpWork::Kind::Elementwise, Flops(int64_t(1) << 60),
              Bytes(30000000), Bytes(20000000)};
  // 50 MB, one and a half times, at 50 GB/s.
  EXPECT_EQ(price(work), Nanoseconds(1500000 + 4000));
  // What writes nothing is part of a kernel that does.
  work.written = Bytes(0);
  EXPECT_EQ(price(work), Nanoseconds(900000));
  work.read = Bytes(0);
  EXPECT_EQ(price(work), Nanoseconds(0));
  work.kind = OpWork::Kind::Standalone;
  work.read = work.written = Bytes(25000000);
  EXPECT_EQ(price(work), Nanoseconds(1500000 + 4000));
  work.kind = OpWork::Kind::Free;
  EXPECT_EQ(price(work), Nanoseconds(0));
}

TEST_F(KernelPrices, ProductsHaveTheTimeOfTheirSizes) {
  OpWork work;
  work.kind = OpWork::Kind::Matmul;
  work.product = {.batch = 2, .rows = 500, .columns = 400, .depth = 1000};
  // 800 million operations at half of 1 Tflop/s; 2.2 million elements at half
  // of 100 GB/s are little beside that.
  double arithmetic = 1.6e6, memory = 4 * 2.2e6 / 50;
  EXPECT_NEAR(
      double(price(work).count()),
      4000 + std::pow(std::pow(arithmetic, 4) + std::pow(memory, 4), 0.25), 2);
}

TEST_F(KernelPrices, RaggedProductsWaitForTheBusiestGroup) {
  OpWork work;
  work.kind = OpWork::Kind::Matmul;
  work.product = {.rows = 800, .columns = 500, .depth = 1000, .groups = 8};
  // 100 rows per matrix reach half the rate.
  double arithmetic = 2 * 1600 * 500.0 * 1000 / 500;
  double memory = 4 * (8 * 500.0 * 1000 + 800 * 1500.0) / 50;
  double balanced =
      4000 + std::pow(std::pow(arithmetic, 4) + std::pow(memory, 4), 0.25);
  EXPECT_NEAR(double(price(work).count()), 1.25 * balanced, 3);
}

TEST_F(KernelPrices, AbsurdSizesSaturate) {
  OpWork work;
  work.read = work.written = Bytes::saturated();
  EXPECT_EQ(price(work), Nanoseconds::saturated());
  constexpr int64_t huge = std::numeric_limits<int64_t>::max();
  work.product = {.batch = huge, .rows = huge, .columns = huge, .depth = huge};
  EXPECT_EQ(price(work), Nanoseconds::saturated());
  work.product->groups = 2;
  EXPECT_EQ(price(work), Nanoseconds::saturated());
  Machine several(plainCluster(1, 4), {{"a", 4}});
  EXPECT_EQ(several.times.collective(CollectiveKind::AllGather, {0},
                                     Bytes::saturated()),
            Nanoseconds::saturated());
}

/// Two devices of type `slow` behind two of type `large`.
Cluster mixedCluster() {
  return read(R"({"version": 1, "device_types": {
      "large": {"kind": "cpu", "memory_gib": 32, "memory_reserved_gib": 2,
                "memory_bandwidth_gb_per_s": 100, "peak_tflops": {"f32": 1},
                "efficiency": {"memory": 0.5}, "kernel_launch_us": 4},
      "slow": {"kind": "cpu", "memory_gib": 16, "memory_reserved_gib": 1,
               "memory_bandwidth_gb_per_s": 50, "peak_tflops": {"f32": 1},
               "efficiency": {"memory": 0.5}, "kernel_launch_us": 1}},
    "link_types": {"l": {"bandwidth_gb_per_s": 10, "latency_us": 2}},
    "groups": [{"name": "g", "node": {"devices": [
        {"type": "large", "count": 2}, {"type": "slow", "count": 2}],
      "fabric": {"link": "l"}}}]})");
}

TEST(MeshTimes, TheSlowestDeviceCounts) {
  OpWork work;
  work.read = work.written = Bytes(500000);
  Machine both(mixedCluster(), {{"a", 4}}), one(mixedCluster(), {{"a", 2}});
  // 1 MB, one and a half times, at 50 and at 25 GB/s.
  EXPECT_EQ(one.times.kernel(work, {}), Nanoseconds(30000 + 4000));
  EXPECT_EQ(both.times.kernel(work, {}), Nanoseconds(60000 + 1000));
  // Little work takes longest where launches do.
  work.read = work.written = Bytes(500);
  EXPECT_EQ(both.times.kernel(work, {}), Nanoseconds(30 + 4000));
}

TEST(MeshTimes, MemoryLimitKeepsReserveAndMargin) {
  constexpr int64_t gibibyte = int64_t(1) << 30;
  Machine both(mixedCluster(), {{"a", 4}}), one(mixedCluster(), {{"a", 2}});
  EXPECT_EQ(both.times.memoryLimit(0), Bytes(15 * gibibyte));
  EXPECT_EQ(one.times.memoryLimit(0.5), Bytes(15 * gibibyte));
  EXPECT_EQ(both.times.memoryLimit(1), Bytes(0));
}

} // namespace
