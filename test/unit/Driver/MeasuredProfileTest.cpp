// SPDX-License-Identifier: Apache-2.0
//
// Profiles written by hand, whose times are known.

#include "shardsmith/Driver/MeasuredProfile.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

using namespace shardsmith;
using schedule::Action;
using schedule::ActionKind;

namespace {

/// The text of a profile; times in microseconds.
class ProfileText {
public:
  void rank(int process, int pipelineRank) {
    add(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":)"
                    R"({{"name":"rank","pipeline_rank":{}}}}})",
                    process, pipelineRank));
  }
  void event(int process, int step, const char *category, std::string name,
             double begin, double duration, int bytes = 0,
             const char *more = "") {
    add(fmt::format(R"({{"ph":"X","name":"{}","cat":"{}","pid":{},"tid":0,)"
                    R"("ts":{},"dur":{},"args":{{"step":{},"bytes":{}{}}}}})",
                    name, category, process, begin, duration, step, bytes,
                    more));
  }
  std::string text() const {
    return fmt::format(R"({{"otherData":{{"format":"shardsmith-profile/1",)"
                       R"("plan_hash":"abc"}},"traceEvents":[{}]}})",
                       events);
  }

private:
  void add(const std::string &event) {
    events += (events.empty() ? "" : ",") + event;
  }
  std::string events;
};

MeasuredProfile read(const ProfileText &text) {
  std::string error;
  std::optional<MeasuredProfile> profile = readProfile(text.text(), error);
  EXPECT_TRUE(profile) << error;
  return profile.value_or(MeasuredProfile());
}

std::string errorOf(const std::string &text) {
  std::string error;
  EXPECT_FALSE(readProfile(text, error));
  return error;
}

constexpr Nanoseconds operator""_us(unsigned long long value) {
  return Nanoseconds(int64_t(value) * 1000);
}

const Action forward{ActionKind::Forward, 1, 0};
const Action weights{ActionKind::BackwardWeight, 1, 0};

} // namespace

// step 0 ········································ 200
//        receive 20..80   1F0 80..110   send ..115   1W0 120..160   reduction
TEST(MeasuredProfile, SeparatesWorkFromWaiting) {
  ProfileText text;
  text.rank(0, 0);
  for (int step : {3, 4}) {
    double at = step * 1000;
    text.event(0, step, "step", "step", at, 200);
    // One of the two waits 50 longer than the other, which copies at once.
    double wait = step == 3 ? 60 : 10;
    text.event(0, step, "exchange", "receive from rank 1", at + 80 - wait, wait,
               64);
    text.event(0, step, "compute", "1F0", at + 80, 30);
    text.event(0, step, "exchange", "all_reduce over tensor", at + 90, 10, 8);
    text.event(0, step, "exchange", "send to rank 1", at + 111, 4, 64);
    text.event(0, step, "compute", "1W0", at + 120, 40);
    text.event(0, step, "exchange", "all_reduce over data", at + 165, 20, 8);
  }
  MeasuredProfile profile = read(text);
  EXPECT_EQ(profile.planHash, "abc");
  EXPECT_EQ(profile.steps, 2);
  EXPECT_EQ(profile.step, 200_us);
  ASSERT_EQ(profile.passes.size(), 1u);
  EXPECT_EQ(profile.passes[0], (std::vector<Action>{forward, weights}));
  // 115 from the beginning of the step, of which 50 were waiting in one; the
  // median of two is the greater.
  EXPECT_EQ(profile.times.at(forward), 115_us);
  EXPECT_EQ(profile.times.at(weights), 45_us);
  EXPECT_EQ(profile.updates[0], 40_us);
}

// step 0 ·································· 200
//        wait 20..80   1F0 85..110   1W0 120..160
TEST(MeasuredProfile, TimesOfDevicesAreThoseOfTheirPasses) {
  ProfileText text;
  text.rank(0, 0);
  text.event(0, 0, "step", "step", 0, 200);
  // Its stream has a message all the time.
  text.event(0, 0, "device", "receive from rank 1, exchange 1 of the step", 0,
             80);
  text.event(0, 0, "exchange", "receive from rank 1", 20, 60, 64,
             R"(,"only_waits":true)");
  text.event(0, 0, "device", "copy of 64 bytes", 80, 5);
  text.event(0, 0, "compute", "1F0", 85, 25);
  text.event(0, 0, "device", "kernel_0", 85, 25);
  text.event(0, 0, "compute", "1W0", 120, 40);
  MeasuredProfile profile = read(text);
  EXPECT_EQ(profile.passes[0], (std::vector<Action>{forward, weights}));
  EXPECT_EQ(profile.times.at(forward), 50_us);
  EXPECT_EQ(profile.times.at(weights), 50_us);
  EXPECT_EQ(profile.updates[0], 40_us);
}

TEST(MeasuredProfile, CountsTheSlowestOfEqualRanks) {
  ProfileText text;
  for (int process : {0, 1, 2}) {
    text.rank(process, process / 2);
    text.event(process, 1, "step", "step", 0, 100 + 10 * process);
    text.event(process, 1, "compute", process == 2 ? "1F0" : "0F0", 0,
               20 + 5 * process);
  }
  MeasuredProfile profile = read(text);
  EXPECT_EQ(profile.step, 120_us);
  ASSERT_EQ(profile.passes.size(), 2u);
  EXPECT_EQ(profile.times.at({ActionKind::Forward, 0, 0}), 25_us);
  EXPECT_EQ(profile.times.at(forward), 30_us);
  EXPECT_EQ(profile.updates, (std::vector{85_us, 90_us}));
}

// step 0 ····················································· 100
//        micro-batch 0 10..40 (all_reduce 20..50)   1 45..70
TEST(MeasuredProfile, ReadsWholeMicroBatches) {
  ProfileText text;
  text.rank(0, 0);
  text.event(0, 0, "step", "step", 0, 100);
  text.event(0, 0, "compute", "micro-batch 0", 10, 30);
  // One that goes on beside the passes.
  text.event(0, 0, "exchange", "all_reduce over data, beside kernels", 20, 30,
             8);
  text.event(0, 0, "wait", "wait", 42, 2);
  text.event(0, 0, "compute", "micro-batch 1", 45, 25);
  MeasuredProfile profile = read(text);
  EXPECT_FALSE(profile.hasStages);
  Action first{ActionKind::Forward, 0, 0}, second{ActionKind::Forward, 0, 1};
  std::vector<Action> order = {first, second};
  EXPECT_EQ(profile.passes.front(), order);
  EXPECT_EQ(profile.times.at(first), 40_us);
  EXPECT_EQ(profile.times.at(second), 30_us);
  EXPECT_EQ(profile.updates.front(), 30_us);
  // A step in one piece is all update.
  ProfileText whole;
  whole.rank(0, 0);
  whole.event(0, 0, "step", "step", 0, 100);
  whole.event(0, 0, "exchange", "all_reduce over data", 20, 30, 8);
  profile = read(whole);
  EXPECT_FALSE(profile.hasStages);
  EXPECT_TRUE(profile.passes.front().empty());
  EXPECT_EQ(profile.updates.front(), 100_us);
}

TEST(MeasuredProfile, RefusesWhatIsNone) {
  EXPECT_EQ(errorOf("{}"), "it is no profile of a program; expected a file "
                           "that 'shardsmith run --profile FILE' wrote");
  EXPECT_NE(errorOf("{").find("line 1"), std::string::npos);
  EXPECT_NE(errorOf(ProfileText().text()).find("it has no step"),
            std::string::npos);
  ProfileText unknown;
  unknown.rank(0, 0);
  unknown.event(0, 1, "compute", "micro-batch x", 0, 1);
  EXPECT_NE(errorOf(unknown.text()).find("'micro-batch x' is no pass"),
            std::string::npos);
  ProfileText mixed;
  mixed.rank(0, 0);
  mixed.event(0, 1, "compute", "micro-batch 0", 0, 1);
  mixed.event(0, 1, "compute", "0F0", 1, 1);
  EXPECT_NE(errorOf(mixed.text()).find("others are not"), std::string::npos);
  ProfileText backwards;
  backwards.rank(0, 0);
  backwards.event(0, 1, "compute", "0F0", 10, -5);
  EXPECT_NE(errorOf(backwards.text()).find("0F0 ends before it begins"),
            std::string::npos);
  ProfileText endless;
  endless.rank(0, 0);
  endless.event(0, 1, "compute", "0F0", 0, 1e300);
  EXPECT_NE(errorOf(endless.text()).find("beyond a month"), std::string::npos);
  ProfileText changing;
  changing.rank(0, 0);
  changing.event(0, 1, "compute", "0F0", 0, 5);
  changing.event(0, 2, "compute", "0F1", 10, 5);
  EXPECT_NE(errorOf(changing.text()).find("its steps differ"),
            std::string::npos);
}
