// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Schedule/Trace.h"
#include "shardsmith/Schedule/Families.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

using namespace shardsmith;
using namespace shardsmith::schedule;

namespace {

std::string trace(std::string title) {
  std::string error;
  auto schedule = makeSchedule(ScheduleFamily::DualPipeV, {2, 2, 6}, error);
  EXPECT_TRUE(schedule) << error;
  StageDurations stage;
  stage.forward = Nanoseconds(1001);
  stage.backwardInput = stage.backwardWeight = Nanoseconds(500);
  stage.sendForward = stage.sendBackward = Nanoseconds(70);
  stage.savedUntilWeight = Bytes(64);
  std::vector<StageDurations> stages(4, stage);
  auto simulation = simulate(*schedule, stages, error);
  EXPECT_TRUE(simulation) << error;
  return toTrace(*simulation, {std::move(title), {"a", "b \"quoted\""}});
}

TEST(Trace, IsJsonWithATrackPerStream) {
  auto json = nlohmann::json::parse(trace("name with \"quotes\" and \xff"));
  std::set<std::pair<int, int>> named;
  std::set<int> arrows, ends;
  double lastEnd = 0;
  for (const auto &event : json.at("traceEvents")) {
    std::string phase = event.at("ph");
    auto track = [&] {
      return std::pair(event.at("pid").get<int>(), event.at("tid").get<int>());
    };
    if (phase == "M" && event.at("name") == "thread_name")
      named.insert(track());
    if (phase == "s")
      arrows.insert(event.at("id").get<int>());
    if (phase == "f")
      ends.insert(event.at("id").get<int>());
    if (phase != "X")
      continue;
    EXPECT_TRUE(named.count(track()));
    lastEnd = std::max(lastEnd, event.at("ts").get<double>() +
                                    event.at("dur").get<double>());
  }
  // Per rank: kernels, and messages to the one other rank.
  EXPECT_EQ(named.size(), 4u);
  // Two boundaries between ranks, both directions, six micro-batches.
  EXPECT_EQ(arrows.size(), 24u);
  EXPECT_EQ(arrows, ends);
  EXPECT_GT(lastEnd, 0);
}

TEST(Trace, IsTheSameEveryTime) { EXPECT_EQ(trace("x"), trace("x")); }

} // namespace
