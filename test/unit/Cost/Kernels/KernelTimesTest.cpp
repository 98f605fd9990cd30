// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Kernels/KernelTimes.h"
#include "shardsmith/Cluster/ClusterReader.h"

#include <gtest/gtest.h>

#include <random>

using namespace shardsmith;
using workload::ElementType;

namespace {

constexpr ElementType half = ElementType::BF16;

DeviceType deviceOf(const char *cluster) {
  ClusterResult found = findCluster(cluster);
  EXPECT_TRUE(found.cluster) << found.errorText();
  return found.cluster->deviceType(0);
}

/// What a stack with no losses of its own does.
StackProfile ideal() {
  StackProfile profile;
  profile.matmulRate = profile.lowPrecisionMatmulRate = 1;
  profile.attentionForwardRate = profile.attentionBackwardRate = 1;
  return profile;
}

double teraflops(double flops, Nanoseconds time) {
  return flops / double(time.count()) / 1e3;
}

TEST(KernelTimes, LargeProductsReachTheMeasuredShareOfThePeak) {
  // Median share for sizes of 4096 and more: ai-dynamo/aiconfigurator.
  const std::tuple<const char *, ElementType, double> cases[] = {
      {"1xa100", half, 0.794 * 312},
      {"1xh100", half, 0.779 * 989},
      {"1xh100", ElementType::F8, 0.617 * 1979},
      {"1xb200", half, 0.654 * 2250},
      {"1xgb300", half, 0.737 * 2500},
      {"1xl40s", half, 0.539 * 362}};
  StackProfile profile = ideal();
  for (auto [name, type, expected] : cases) {
    SCOPED_TRACE(name);
    DeviceType device = deviceOf(name);
    KernelTimes times(device, profile);
    double flops = 2.0 * 8192 * 8192 * 8192;
    EXPECT_NEAR(teraflops(flops, times.matmul(1, 8192, 8192, 8192, type)),
                expected, 0.08 * expected);
  }
}

TEST(KernelTimes, FusedAttentionReachesMeasuredRates) {
  const std::tuple<const char *, int64_t, double> cases[] = {
      {"1xa100", 2048, 174},
      {"1xa100", 8192, 201},
      {"1xh100", 2048, 479},
      {"1xh100", 8192, 612},
      {"1xb200", 8192, 1041}};
  StackProfile profile = ideal();
  for (auto [name, length, expected] : cases) {
    SCOPED_TRACE(name);
    DeviceType device = deviceOf(name);
    KernelTimes times(device, profile);
    KernelTimes::AttentionSize size{4, 32, 32, length, length, 128, 128, 0.5};
    double flops = 2.0 * 4 * 32 * double(length) * double(length) * 128;
    EXPECT_NEAR(teraflops(flops, times.attentionForward(size, half)), expected,
                0.15 * expected);
  }
}

TEST(KernelTimes, MoreWorkNeverTakesLess) {
  const char *names[] = {"1xa100",   "1xh100",    "1xb200", "1xt4",
                         "1xmi300x", "1xtpu-v5p", "1xl40s"};
  std::mt19937_64 random(20261120);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (const char *name : names) {
    SCOPED_TRACE(name);
    DeviceType device = deviceOf(name);
    for (bool fused : {true, false}) {
      StackProfile profile;
      profile.fusedAttention = fused;
      KernelTimes times(device, profile);
      for (int round = 0; round < 300; ++round) {
        ElementType type =
            std::array{half, ElementType::F8, ElementType::F32}[pick(0, 2)];
        int64_t b = pick(1, 64), m = pick(1, 20000), n = 64 * pick(1, 300),
                k = 64 * pick(1, 300);
        Nanoseconds time = times.matmul(b, m, n, k, type);
        EXPECT_GT(time.count(), 0);
        EXPECT_LE(time, times.matmul(b + 1, m, n, k, type));
        EXPECT_LE(time, times.matmul(b, m + 1, n, k, type));
        EXPECT_LE(time, times.matmul(b, m, n + 64, k, type));
        EXPECT_LE(time, times.matmul(b, m, n, k + 64, type));
        EXPECT_LE(time, times.matmul(b, m, n + 1, k, type));
        EXPECT_LE(times.groupedMatmul(b, m, n, k, type),
                  times.groupedMatmul(b, m + 1, n, k, type));
        EXPECT_LE(times.groupedMatmul(b, m, n, k, type),
                  times.groupedMatmul(b + 1, m, n, k, type));

        KernelTimes::AttentionSize size{
            pick(1, 8),    8 * pick(1, 8), 8, pick(1, 9000),
            pick(1, 9000), pick(16, 300),  0, 0.5};
        size.valueSize = size.headSize;
        Nanoseconds forward = times.attentionForward(size, type);
        EXPECT_LE(forward, times.attentionBackward(size, type));
        for (int64_t KernelTimes::AttentionSize::*field :
             {&KernelTimes::AttentionSize::sequences,
              &KernelTimes::AttentionSize::queryHeads,
              &KernelTimes::AttentionSize::keyValueHeads,
              &KernelTimes::AttentionSize::queries,
              &KernelTimes::AttentionSize::keys}) {
          KernelTimes::AttentionSize larger = size;
          larger.*field += pick(1, 10);
          EXPECT_LE(forward, times.attentionForward(larger, type));
        }
        KernelTimes::AttentionSize larger = size;
        larger.headSize = larger.valueSize = size.headSize + 8;
        EXPECT_LE(forward, times.attentionForward(larger, type));
        larger = size;
        larger.density = 1;
        EXPECT_LE(forward, times.attentionForward(larger, type));
        EXPECT_LE(times.memoryBound(Bytes(m)), times.memoryBound(Bytes(m + 1)));
      }
    }
  }
}

TEST(KernelTimes, MisalignedProductsAreSlower) {
  StackProfile profile;
  DeviceType device = deviceOf("1xa100");
  KernelTimes times(device, profile);
  EXPECT_GT(times.matmul(1, 4096, 5400, 14400, half).count(),
            times.matmul(1, 4096, 5440, 14400, half).count() * 1.3);
}

TEST(KernelTimes, AbsurdSizesSaturate) {
  StackProfile profile;
  DeviceType device = deviceOf("1xh100");
  KernelTimes times(device, profile);
  constexpr int64_t huge = int64_t(1) << 62;
  EXPECT_TRUE(times.matmul(huge, huge, huge, huge, half).isSaturated());
  EXPECT_TRUE(times.groupedMatmul(2, huge, huge, huge, half).isSaturated());
  EXPECT_TRUE(times.memoryBound(Bytes::saturated()).isSaturated());
  KernelTimes::AttentionSize size{huge, huge, 1, huge, huge, huge, huge, 1};
  EXPECT_TRUE(times.attentionForward(size, half).isSaturated());
  EXPECT_EQ(times.matmul(1, 0, 5, 5, half), Nanoseconds(0));
  EXPECT_EQ(times.memoryBound(Bytes(0)), Nanoseconds(0));
}

TEST(KernelTimes, BackwardAttentionHasFiveProductsForTwo) {
  StackProfile profile = ideal();
  DeviceType device = deviceOf("1xh100");
  KernelTimes times(device, profile);
  KernelTimes::AttentionSize size{8, 64, 64, 16384, 16384, 128, 128, 0.5};
  double forward = double(times.attentionForward(size, half).count());
  EXPECT_NEAR(double(times.attentionBackward(size, half).count()),
              2.5 * forward, 0.01 * forward);
  profile.attentionBackwardRate = 0.5;
  EXPECT_NEAR(double(times.attentionBackward(size, half).count()), 5 * forward,
              0.02 * forward);
}

// The A100's kernels were measured for heads of 128.
TEST(KernelTimes, NarrowHeadsHaveKernelsOfTheirOwn) {
  StackProfile profile = ideal();
  DeviceType device = deviceOf("1xa100");
  KernelTimes times(device, profile);
  auto seconds = [&](int64_t headSize, bool backward) {
    KernelTimes::AttentionSize size{4,     16,       16,       16384,
                                    16384, headSize, headSize, 0.5};
    Nanoseconds time = backward ? times.attentionBackward(size, half)
                                : times.attentionForward(size, half);
    return double(time.count()) * 1e-9;
  };
  // One exponential for each score, and half of the products.
  EXPECT_NEAR(seconds(64, false) / seconds(128, false), 0.15 + 0.85 / 2, 0.01);
  EXPECT_NEAR(seconds(64, true) / seconds(128, true), 0.06 + 0.94 / 2, 0.01);
  for (bool backward : {false, true}) {
    EXPECT_NEAR(seconds(40, backward) / seconds(64, backward), 1, 1e-3);
    for (int64_t headSize = 8; headSize < 128; headSize += 8)
      EXPECT_LE(seconds(headSize, backward), seconds(headSize + 8, backward));
  }
}

// Latent attention has queries of 192 and values of 128; the nearest kernels
// that were measured are those of 128 and 256.
TEST(KernelTimes, HeadsBetweenMeasuredSizesAreBetweenTheirTimes) {
  StackProfile profile = ideal();
  DeviceType device = deviceOf("1xgb300");
  KernelTimes times(device, profile);
  auto forward = [&](int64_t queries, int64_t values) {
    return times.attentionForward(
        {2, 128, 128, 4096, 4096, queries, values, 0.5}, half);
  };
  EXPECT_LT(forward(128, 128), forward(192, 128));
  EXPECT_LT(forward(192, 128).count(), forward(256, 256).count() * 8 / 10);
  for (int64_t size = 16; size < 600; size += 8)
    EXPECT_LE(forward(size, size), forward(size + 8, size + 8));
}

TEST(KernelTimes, SeparateAttentionKernels) {
  StackProfile profile = ideal();
  profile.fusedAttention = false;
  profile.unfusedAttentionRate = 0.5;
  profile.unfusedAttentionPasses = 2;
  DeviceType device = deviceOf("1xa100");
  KernelTimes times(device, profile);
  auto seconds = [&](int64_t headSize) {
    KernelTimes::AttentionSize size{4,    16,       16,       4096,
                                    4096, headSize, headSize, 0.5};
    return double(times.attentionForward(size, half).count()) * 1e-9;
  };
  // The mask saves nothing: 4 s^2 d operations per head at half the peak, and
  // two passes over scores of two bytes; three launches.
  double scores = 4.0 * 16 * 4096 * 4096;
  double passes = 2 * scores * 2 / (device.bytesPerSecond * 0.8) + 12e-6;
  EXPECT_NEAR(seconds(128), 4 * scores * 128 / (0.5 * 312e12) + passes, 1e-7);
  EXPECT_NEAR(seconds(100),
              4 * scores * 100 / (0.5 * 312e12 * profile.misalignedHeadRate) +
                  passes,
              1e-7);
}

TEST(KernelTimes, ProcessorsHaveAShareOfTheirPeak) {
  ClusterResult found = readCluster(R"({"version": 1, "device_types": {
    "cpu": {"kind": "cpu", "memory_gib": 8, "memory_bandwidth_gb_per_s": 20,
            "peak_tflops": {"f32": 0.1}, "efficiency": {"matmul": 0.5}}},
    "groups": [{"name": "a", "node": {"devices": [
      {"type": "cpu", "count": 1}]}}]})");
  ASSERT_TRUE(found.cluster) << found.errorText();
  StackProfile profile = ideal();
  KernelTimes times(found.cluster->deviceType(0), profile);
  auto nanoseconds = [&](int64_t m, int64_t n, int64_t k) {
    return double(times.matmul(1, m, n, k, ElementType::F32).count());
  };
  // 2 · 1000^3 operations at 0.05 TFLOP/s; sizes need no alignment.
  EXPECT_NEAR(nanoseconds(1000, 1000, 1000), 4e7, 4e5);
  // Results and one operand of 10^8 elements of four bytes at 16 GB/s.
  EXPECT_NEAR(nanoseconds(10000, 10000, 1), 2.5e7, 1e5);
  EXPECT_NEAR(nanoseconds(10000, 1, 10000), 2.5e7, 1e5);
}

} // namespace
