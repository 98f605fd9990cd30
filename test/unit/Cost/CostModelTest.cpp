// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/CostModel.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/InitAll.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace shardsmith;

namespace {

MLIRContext &sharedContext() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registerAllDialects(registry);
    auto *result = new MLIRContext(registry);
    result->loadAllAvailableDialects();
    return result;
  }();
  return *context;
}

Cluster builtin(const char *name) { return *findCluster(name).cluster; }

constexpr CollectiveKind kinds[] = {
    CollectiveKind::AllReduce, CollectiveKind::AllGather,
    CollectiveKind::ReduceScatter, CollectiveKind::AllToAll,
    CollectiveKind::Permute};

/// All-gather counts what one member puts in; the others the whole tensor.
Bytes inputOf(CollectiveKind kind, int64_t tensorBytes, int64_t members) {
  return Bytes(kind == CollectiveKind::AllGather ? tensorBytes / members
                                                 : tensorBytes);
}

TEST(CostModel, CollectivesGrowWithSize) {
  Cluster cluster = builtin("8xh100");
  Mesh mesh({{"a", 8}});
  CostModel costs(cluster, mesh);
  for (CollectiveKind kind : kinds) {
    Nanoseconds before(0);
    for (int64_t bytes = 1024; bytes <= int64_t(1) << 40; bytes *= 4) {
      Nanoseconds time = costs.collective(kind, {0}, Bytes(bytes));
      EXPECT_GT(time, before) << stringifyCollectiveKind(kind).str();
      before = time;
    }
  }
}

TEST(CostModel, CollectivesOfOneMemberAreFree) {
  Cluster cluster = builtin("4xa100-80");
  Mesh mesh({{"a", 4}, {"b", 1}});
  CostModel costs(cluster, mesh);
  for (CollectiveKind kind : kinds)
    EXPECT_EQ(costs.collective(kind, {1}, Bytes(1 << 20)), Nanoseconds(0));
}

TEST(CostModel, RingFormulas) {
  ClusterResult read = readCluster(R"({"version": 1, "device_types": {"d": {
      "memory_gib": 1, "memory_bandwidth_gb_per_s": 1,
      "peak_tflops": {"f32": 1}}},
    "link_types": {"l": {"bandwidth_gb_per_s": 10, "latency_us": 2,
                         "efficiency": 1}},
    "groups": [{"name": "g", "node": {"devices": [{"type": "d", "count": 4}],
                                      "fabric": {"link": "l"}}}]})");
  ASSERT_TRUE(read.cluster);
  Mesh mesh({{"a", 4}});
  CostModel costs(*read.cluster, mesh);
  // 4 MB over 4 members at 10 GB/s: 100 us per part and hop, 2 us latency.
  Bytes whole(4000000), part(1000000);
  EXPECT_EQ(costs.collective(CollectiveKind::AllGather, {0}, part),
            Nanoseconds(3 * 102000));
  EXPECT_EQ(costs.collective(CollectiveKind::ReduceScatter, {0}, whole),
            Nanoseconds(3 * 102000));
  EXPECT_EQ(costs.collective(CollectiveKind::AllToAll, {0}, whole),
            Nanoseconds(3 * 102000));
  EXPECT_EQ(costs.collective(CollectiveKind::AllReduce, {0}, whole),
            Nanoseconds(2 * 3 * 102000));
  EXPECT_EQ(costs.collective(CollectiveKind::Permute, {0}, part),
            Nanoseconds(102000));
  // A few bytes go through a tree: 2 log2(4) messages instead of 6.
  EXPECT_EQ(costs.collective(CollectiveKind::AllReduce, {0}, Bytes(0)),
            Nanoseconds(8000));
}

TEST(CostModel, AllReduceCostsNoMoreThanScatterAndGather) {
  for (const char *name : {"8xh100", "64xh100", "cpu:8"}) {
    Cluster cluster = builtin(name);
    int64_t devices = cluster.deviceCount();
    Mesh mesh({{"a", devices}});
    CostModel costs(cluster, mesh);
    for (int64_t bytes = 4096; bytes <= (1 << 28); bytes *= 16) {
      auto time = [&](CollectiveKind kind) {
        return costs.collective(kind, {0}, inputOf(kind, bytes, devices));
      };
      EXPECT_LE(time(CollectiveKind::AllReduce),
                time(CollectiveKind::ReduceScatter) +
                    time(CollectiveKind::AllGather))
          << name << " " << bytes;
    }
  }
}

TEST(CostModel, AxesInsideANodeAreFaster) {
  Cluster cluster = builtin("64xh100");
  Mesh mesh({{"nodes", 8}, {"local", 8}});
  CostModel costs(cluster, mesh);
  Bytes bytes(1 << 26);
  EXPECT_LT(costs.collective(CollectiveKind::AllReduce, {1}, bytes),
            costs.collective(CollectiveKind::AllReduce, {0}, bytes));
  EXPECT_EQ(costs.linkOf({0}).membersPerNode, 1);
  EXPECT_EQ(costs.linkOf({1}).membersPerNode, 8);
  EXPECT_EQ(costs.linkOf({0, 1}).membersPerNode, 8);
}

TEST(CostModel, CalibrationReplacesTheFormula) {
  Cluster cluster = builtin("8xh100");
  Calibration curve;
  curve.collective = "all_reduce";
  curve.scope = "g.node";
  curve.groupSize = 8;
  curve.points = {{1 << 10, 20e-6}, {1 << 20, 80e-6}};
  cluster.calibration.push_back(curve);
  Mesh mesh({{"a", 8}});
  CostModel costs(cluster, mesh);
  auto time = [&](int64_t bytes) {
    return costs.collective(CollectiveKind::AllReduce, {0}, Bytes(bytes))
        .count();
  };
  EXPECT_EQ(time(1), 20000);
  EXPECT_EQ(time(1 << 10), 20000);
  EXPECT_NEAR(double(time(1 << 15)), 40000, 2); // half way in both logarithms
  EXPECT_NEAR(double(time(1 << 20)), 80000, 2);
  EXPECT_NEAR(double(time(1 << 22)), 320000, 2); // at the last bandwidth
}

TEST(CostModel, RooflineTakesTheSlowerSide) {
  Cluster cluster = builtin("1xh100");
  Mesh mesh({{"a", 1}});
  CostModel costs(cluster, mesh);
  Type f32 = Float32Type::get(&sharedContext());
  Type bf16 = BFloat16Type::get(&sharedContext());
  OpWork arithmetic{OpWork::Kind::Matmul, Flops(int64_t(1) << 42), Bytes(1),
                    Bytes(1)};
  OpWork traffic{OpWork::Kind::Matmul, Flops(1), Bytes(int64_t(1) << 34),
                 Bytes(1)};
  EXPECT_NEAR(double(costs.compute(arithmetic, f32).count()),
              double(int64_t(1) << 42) / (67e12 * 0.66) * 1e9 + 4000, 2);
  EXPECT_NEAR(double(costs.compute(traffic, f32).count()),
              double(int64_t(1) << 34) / (3.35e12 * 0.8) * 1e9 + 4000, 2);
  EXPECT_LT(costs.compute(arithmetic, bf16), costs.compute(arithmetic, f32));
  OpWork free;
  free.kind = OpWork::Kind::Free;
  EXPECT_EQ(costs.compute(free, f32), Nanoseconds(0));
}

TEST(CostModel, AbsurdSizesSaturate) {
  Cluster cluster = builtin("8xh100");
  Mesh mesh({{"a", 8}});
  CostModel costs(cluster, mesh);
  OpWork work{OpWork::Kind::Matmul, Flops::saturated(), Bytes::saturated(),
              Bytes(1)};
  EXPECT_GT(costs.compute(work, Float32Type::get(&sharedContext())),
            Nanoseconds(int64_t(1) << 50));
  EXPECT_GT(
      costs.collective(CollectiveKind::AllGather, {0}, Bytes::saturated()),
      Nanoseconds(int64_t(1) << 50));
}

TEST(CostModel, MemoryLimitKeepsReserveAndMargin) {
  Cluster cluster = builtin("1xh100");
  Mesh mesh({{"a", 1}});
  CostModel costs(cluster, mesh);
  const DeviceType &device = cluster.deviceType(0);
  EXPECT_EQ(costs.memoryLimit(0), device.memory - device.reserved);
  EXPECT_EQ(costs.memoryLimit(1), Bytes(0));
}

/// The work of the op that a one-op function holds.
OpWork workOf(const std::string &arguments, const std::string &op,
              const std::string &result) {
  auto module = parseSourceString<ModuleOp>(
      "func.func @main(" + arguments + ") -> " + result + " {\n  %0 = " + op +
          "\n  return %0 : " + result + "\n}",
      &sharedContext());
  EXPECT_TRUE(module);
  auto function = module->lookupSymbol<func::FuncOp>("main");
  Operation &only = function.getBody().front().front();
  SmallVector<RankedTensorType> operands, results;
  for (Type type : only.getOperandTypes())
    operands.push_back(cast<RankedTensorType>(type));
  for (Type type : only.getResultTypes())
    results.push_back(cast<RankedTensorType>(type));
  return cast<CostInterface>(only).getWork(operands, results);
}

TEST(OpCosts, MatrixProductsCountTwoPerMultiplyAdd) {
  OpWork work = workOf("%a: tensor<4x8x16xf32>, %b: tensor<4x16x32xf32>",
                       "stablehlo.dot_general %a, %b, batching_dims = [0] x "
                       "[0], contracting_dims = [2] x [1] : "
                       "(tensor<4x8x16xf32>, tensor<4x16x32xf32>) -> "
                       "tensor<4x8x32xf32>",
                       "tensor<4x8x32xf32>");
  EXPECT_EQ(work.kind, OpWork::Kind::Matmul);
  EXPECT_EQ(work.flops, Flops(2 * 4 * 8 * 16 * 32));
  EXPECT_EQ(work.read, Bytes(4 * (4 * 8 * 16 + 4 * 16 * 32)));
  EXPECT_EQ(work.written, Bytes(4 * 4 * 8 * 32));
}

TEST(OpCosts, ElementwiseOpsReadAndWriteEverything) {
  OpWork work = workOf("%a: tensor<8x16xbf16>",
                       "stablehlo.exponential %a : tensor<8x16xbf16>",
                       "tensor<8x16xbf16>");
  EXPECT_EQ(work.kind, OpWork::Kind::Elementwise);
  EXPECT_GT(work.flops, Flops(8 * 16));
  EXPECT_EQ(work.read, Bytes(256));
  EXPECT_EQ(work.written, Bytes(256));
}

TEST(OpCosts, SlicesReadWhatTheyKeep) {
  OpWork work = workOf("%a: tensor<1000x8xf32>",
                       "stablehlo.slice %a [0:2, 0:8] : "
                       "(tensor<1000x8xf32>) -> tensor<2x8xf32>",
                       "tensor<2x8xf32>");
  EXPECT_EQ(work.read, Bytes(64));
  EXPECT_EQ(work.written, Bytes(64));
}

TEST(OpCosts, ReshapesAreFree) {
  OpWork work = workOf("%a: tensor<8x16xf32>",
                       "stablehlo.reshape %a : (tensor<8x16xf32>) -> "
                       "tensor<128xf32>",
                       "tensor<128xf32>");
  EXPECT_EQ(work.kind, OpWork::Kind::Free);
  EXPECT_EQ(work.written, Bytes(0));
}

TEST(OpCosts, BooleansTakeAByte) {
  OpWork work = workOf("%a: tensor<8xf32>",
                       "stablehlo.is_finite %a : (tensor<8xf32>) -> "
                       "tensor<8xi1>",
                       "tensor<8xi1>");
  EXPECT_EQ(work.written, Bytes(8));
}

TEST(OpCosts, EveryOpWithAFactorRuleHasACost) {
  for (RegisteredOperationName name :
       sharedContext().getRegisteredOperations()) {
    StringRef dialect = name.getDialectNamespace();
    if (dialect != "stablehlo" && dialect != "chlo")
      continue;
    if (name.hasInterface<FactorRuleInterface>()) {
      EXPECT_TRUE(name.hasInterface<CostInterface>())
          << name.getStringRef().str();
    }
  }
}

} // namespace
