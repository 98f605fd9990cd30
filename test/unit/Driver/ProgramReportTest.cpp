// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/ProgramReport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardsmith {
namespace {

using testing::HasSubstr;

/// Two stages on devices of 1,000 and 1,200 bytes, 200 of which the runtime
/// needs, and a program that was counted.
PlanDocument documentWith(Bytes peak) {
  PlanDocument document;
  document.strategy.stages.resize(2);
  document.estimate.ranks.resize(2);
  for (StageEstimate &rank : document.estimate.ranks) {
    rank.memory.overhead = Bytes(200);
    rank.memoryLimit = Bytes(1000);
  }
  document.estimate.ranks[1].memoryLimit = Bytes(1200);
  document.program.emplace();
  document.program->predicted.source = "program";
  document.program->predicted.peak = peak;
  return document;
}

std::string shortfallOf(const PlanDocument &document) {
  return memoryShortfall(document, *document.program);
}

TEST(ProgramReport, ProgramsThatHoldMoreThanAnyDeviceAreNamed) {
  EXPECT_EQ(shortfallOf(documentWith(Bytes(1000))), "");
  EXPECT_THAT(shortfallOf(documentWith(Bytes(1001))),
              HasSubstr("holds 1001 B, 1 B more than a device offers"));
}

TEST(ProgramReport, WhatIsNotCountedIsNotCompared) {
  PlanDocument document = documentWith(Bytes(5000));
  document.program->predicted.source = "search";
  EXPECT_EQ(shortfallOf(document), "");
  document = documentWith(Bytes(5000));
  document.strategy.stages.clear();
  EXPECT_EQ(shortfallOf(document), "");
}

} // namespace
} // namespace shardsmith
