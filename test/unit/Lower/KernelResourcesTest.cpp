// SPDX-License-Identifier: Apache-2.0
//
// Occupancy against what NVIDIA's calculator (cuda_occupancy.h of CUDA 13.0)
// says for the same chips: blocks per multiprocessor.

#include "shardsmith/Lower/CUDA/KernelResources.h"

#include <gtest/gtest.h>

using namespace shardsmith;
using namespace shardsmith::lower;

namespace {

struct Case {
  const char *chip;
  int64_t threads, registers, shared;
  int64_t blocks;
};

TEST(KernelResources, OccupancyIsThatOfTheCalculator) {
  const Case cases[] = {
      {"sm_100a", 224, 40, 8192, 6}, {"sm_90a", 32, 43, 32, 32},
      {"sm_120", 32, 100, 32, 16},   {"sm_90a", 128, 100, 4096, 4},
      {"sm_120", 96, 33, 4096, 16},  {"sm_100a", 512, 43, 20000, 2},
      {"sm_120", 1024, 8, 20000, 1}, {"sm_120", 128, 128, 32, 4},
      {"sm_120", 32, 64, 8192, 11},  {"sm_100a", 256, 33, 8192, 6},
      {"sm_120", 512, 32, 20000, 3}, {"sm_100a", 64, 43, 48000, 4},
      {"sm_80", 32, 200, 48000, 3},  {"sm_120", 128, 100, 48000, 2},
      {"sm_80", 512, 200, 0, 0},     {"sm_80", 256, 32, 0, 8},
  };
  for (const Case &each : cases) {
    const DeviceChip &chip = *findDeviceChip(each.chip);
    KernelResources resources{each.registers, Bytes(each.shared), Bytes(0)};
    double warps = double(each.blocks * ((each.threads + 31) / 32));
    EXPECT_EQ(occupancyOf(chip, resources, each.threads),
              warps / double(chip.warpsPerProcessor))
        << each.chip << ", " << each.threads << " threads of " << each.registers
        << " registers";
  }
}

TEST(KernelResources, WhatPtxasDoesNotTakeIsAProblem) {
  std::string problem;
  auto found = findKernelResources("/no/such/ptxas", *findDeviceChip("sm_80"),
                                   ".version 7.0", problem);
  EXPECT_FALSE(found);
  EXPECT_NE(problem.find("/no/such/ptxas fails"), std::string::npos) << problem;
}

} // namespace
