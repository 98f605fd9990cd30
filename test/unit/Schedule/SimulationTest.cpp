// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Schedule/Simulation.h"
#include "shardsmith/Schedule/Families.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace shardsmith;
using namespace shardsmith::schedule;

namespace {

struct Times {
  int64_t f, i, w;
  int64_t b() const { return i + w; }
};

/// Equal stages, messages that take no time.
std::vector<StageDurations> evenStages(int64_t count, Times times) {
  StageDurations stage;
  stage.forward = Nanoseconds(times.f);
  stage.backwardInput = Nanoseconds(times.i);
  stage.backwardWeight = Nanoseconds(times.w);
  stage.savedUntilWeight = Bytes(100);
  return std::vector<StageDurations>(size_t(count), stage);
}

Simulation play(ScheduleFamily family, PipelineShape shape,
                const std::vector<StageDurations> &stages,
                SimulationOptions options = {}) {
  std::string error;
  std::optional<Schedule> schedule = makeSchedule(family, shape, error);
  EXPECT_TRUE(schedule) << error;
  std::optional<Simulation> simulation =
      simulate(schedule.value_or(Schedule()), stages, error, options);
  EXPECT_TRUE(simulation) << error;
  return simulation.value_or(Simulation());
}

int64_t bubble(ScheduleFamily family, PipelineShape shape, Times times) {
  return play(family, shape, evenStages(shape.stageCount(), times))
      .bubble()
      .count();
}

constexpr Times unequal[] = {
    {100, 100, 100}, {90, 120, 100}, {100, 130, 70}, {200, 210, 190}};

/// p = 2, 4, 8 and M = 2p, 4p.
template <typename Visitor>
void forEachShape(int64_t virtualStages, Visitor visit) {
  for (int64_t p : {2, 4, 8})
    for (int64_t rounds : {2, 4}) {
      SCOPED_TRACE(fmt::format("p {} v {} M {}", p, virtualStages, rounds * p));
      visit(PipelineShape{p, virtualStages, rounds * p});
    }
}

TEST(ClosedForms, OneStagePerRank) {
  for (Times t : unequal)
    forEachShape(1, [&](PipelineShape s) {
      int64_t fill = (s.ranks - 1) * (t.f + t.b());
      EXPECT_EQ(bubble(ScheduleFamily::GPipe, s, t), fill);
      EXPECT_EQ(bubble(ScheduleFamily::OneForwardOneBackward, s, t), fill);
      EXPECT_EQ(bubble(ScheduleFamily::EagerOneForwardOneBackward, s, t), fill);
    });
}

TEST(ClosedForms, InterleavingDividesTheBubble) {
  // Times of a whole rank, cut into v stages.
  for (int64_t v : {1, 2, 4, 5})
    for (Times t : unequal)
      forEachShape(v, [&](PipelineShape s) {
        Times part{t.f, t.i, t.w};
        EXPECT_EQ(bubble(ScheduleFamily::Interleaved, s, part),
                  (s.ranks - 1) * (t.f + t.b()));
      });
}

// Where weight gradients take longer than a forward pass, the gaps that they
// are to fill are too short, and the published forms of ZB-H1 and ZB-H2 do not
// hold: the terms below are theirs for w ≤ f.
TEST(ClosedForms, ZeroBubbleH1) {
  for (Times t : unequal)
    forEachShape(1, [&](PipelineShape s) {
      EXPECT_EQ(bubble(ScheduleFamily::ZeroBubbleH1, s, t),
                (s.ranks - 1) * (t.i + std::max<int64_t>(0, t.f - t.w)));
    });
}

TEST(ClosedForms, ZeroBubbleH2) {
  for (Times t : unequal)
    forEachShape(1, [&](PipelineShape s) {
      int64_t perRank = std::max({int64_t(0), t.f + t.i - 2 * t.w, t.i - t.f});
      EXPECT_EQ(bubble(ScheduleFamily::ZeroBubbleH2, s, t),
                (s.ranks - 1) * perRank);
    });
}

// The gradients of parameters of all micro-batches but the last may fill gaps:
// of few micro-batches there are fewer than gaps.
TEST(ClosedForms, ZeroBubbleWithFewMicroBatches) {
  for (Times t : {Times{100, 100, 100}, {100, 130, 70}, {200, 210, 190}})
    for (int64_t p : {2, 4, 8})
      for (int64_t batches = 1; batches <= 2 * p; ++batches) {
        SCOPED_TRACE(fmt::format("p {} M {}", p, batches));
        auto expected = [&](int64_t most) {
          return (p - 1) * (t.f + t.i) - std::min(most, batches - 1) * t.w;
        };
        PipelineShape shape{p, 1, batches};
        EXPECT_EQ(bubble(ScheduleFamily::ZeroBubbleH1, shape, t),
                  expected(p - 1));
        EXPECT_EQ(
            bubble(ScheduleFamily::ZeroBubbleH2, shape, t),
            std::max({int64_t(0), expected(2 * p - 2), (p - 1) * (t.i - t.f)}));
      }
}

TEST(ClosedForms, ZeroBubbleV) {
  forEachShape(2, [&](PipelineShape s) {
    EXPECT_EQ(bubble(ScheduleFamily::ZeroBubbleV, s, {100, 100, 100}), 0);
  });
}

TEST(ClosedForms, DualPipeV) {
  for (Times t : {Times{100, 100, 100}, {100, 100, 50}, {70, 70, 60}})
    forEachShape(2, [&](PipelineShape s) {
      int64_t together = t.f + t.b();
      EXPECT_EQ(bubble(ScheduleFamily::DualPipeV, s, t),
                (s.ranks - 1) * (together + t.b() - 3 * t.w));
    });
}

/// Most passes alive on any rank until I, and until W.
std::pair<int64_t, int64_t> live(ScheduleFamily family, PipelineShape shape) {
  Simulation simulation =
      play(family, shape, evenStages(shape.stageCount(), {100, 100, 100}));
  std::pair<int64_t, int64_t> most;
  for (const RankTimeline &rank : simulation.ranks) {
    most.first = std::max(most.first, rank.peakLiveUntilInput);
    most.second = std::max(most.second, rank.peakLiveUntilWeight);
    EXPECT_EQ(rank.peakMemory, Bytes(100) * rank.peakLiveUntilWeight);
  }
  return most;
}

TEST(ClosedForms, LiveMicroBatches) {
  using Pair = std::pair<int64_t, int64_t>;
  forEachShape(1, [&](PipelineShape s) {
    int64_t p = s.ranks;
    EXPECT_EQ(live(ScheduleFamily::GPipe, s),
              Pair(s.microBatches, s.microBatches));
    EXPECT_EQ(live(ScheduleFamily::OneForwardOneBackward, s), Pair(p, p));
    EXPECT_EQ(live(ScheduleFamily::EagerOneForwardOneBackward, s),
              Pair(2 * p - 1, 2 * p - 1));
    EXPECT_EQ(live(ScheduleFamily::ZeroBubbleH1, s), Pair(p, p));
    EXPECT_EQ(live(ScheduleFamily::ZeroBubbleH2, s), Pair(2 * p - 1, 2 * p));
  });
  forEachShape(2, [&](PipelineShape s) {
    int64_t p = s.ranks;
    EXPECT_EQ(live(ScheduleFamily::ZeroBubbleV, s), Pair(2 * p, 2 * p));
    EXPECT_EQ(live(ScheduleFamily::DualPipeV, s), Pair(2 * p + 1, 2 * p + 1));
  });
  for (int64_t v : {2, 3})
    forEachShape(v, [&](PipelineShape s) {
      int64_t stages = (v - 1) * s.ranks + 2 * (s.ranks - 1) + 1;
      EXPECT_EQ(live(ScheduleFamily::Interleaved, s), Pair(stages, stages));
    });
}

TEST(ClosedForms, LiveMicroBatchesOfEveryRank) {
  PipelineShape shape{8, 1, 32};
  auto stages = evenStages(8, {100, 100, 100});
  for (int64_t rank = 0; rank < 8; ++rank) {
    auto liveOn = [&](ScheduleFamily family) {
      return play(family, shape, stages)
          .ranks[size_t(rank)]
          .peakLiveUntilWeight;
    };
    EXPECT_EQ(liveOn(ScheduleFamily::OneForwardOneBackward), 8 - rank);
    EXPECT_EQ(liveOn(ScheduleFamily::EagerOneForwardOneBackward),
              2 * (8 - rank) - 1);
    // Delayed weight gradients even it out.
    EXPECT_EQ(liveOn(ScheduleFamily::ZeroBubbleH1), 8);
  }
}

/// F 100, I 50, W 50 on two ranks; messages of 10 up and 20 down.
std::vector<StageDurations> twoStages() {
  std::vector<StageDurations> stages = evenStages(2, {100, 50, 50});
  for (StageDurations &stage : stages) {
    stage.sendForward = Nanoseconds(10);
    stage.sendBackward = Nanoseconds(20);
  }
  return stages;
}

constexpr auto oneForwardOneBackward = ScheduleFamily::OneForwardOneBackward;

TEST(Simulation, MessagesTakeTime) {
  Simulation simulation = play(oneForwardOneBackward, {2, 1, 1}, twoStages());
  // F0, up, F0, B0, down, B0.
  EXPECT_EQ(simulation.makespan.count(), 100 + 10 + 100 + 100 + 20 + 100);
  EXPECT_EQ(simulation.ranks[1].firstStart.count(), 110);
  EXPECT_EQ(simulation.ranks[0].idle().count(), 230);
}

TEST(Simulation, ALinkCarriesOneMessageAtATime) {
  auto stages = twoStages();
  stages[0].sendForward = Nanoseconds(150);
  Simulation simulation = play(ScheduleFamily::GPipe, {2, 1, 3}, stages);
  std::vector<std::pair<int64_t, int64_t>> messages;
  for (const Span &span : simulation.spans)
    if (span.stream == Stream(SendStream{1}))
      messages.push_back({span.start.count(), span.end.count()});
  EXPECT_EQ(messages, (std::vector<std::pair<int64_t, int64_t>>{
                          {100, 250}, {250, 400}, {400, 550}}));
}

TEST(Simulation, MessagesSlowKernelsDown) {
  // The second forward pass of rank 0 runs beside the first message: for 10
  // of its first 10 nanoseconds at half speed.
  Simulation simulation =
      play(ScheduleFamily::GPipe, {2, 1, 2}, twoStages(), {2.0});
  const Span &second = simulation.spans[1];
  EXPECT_EQ(str(second.step), "0F1");
  EXPECT_EQ(second.start.count(), 100);
  EXPECT_EQ(second.end.count(), 205);
}

TEST(Simulation, PairsHideTheirCommunication) {
  std::string error;
  auto stages = evenStages(2, {100, 50, 50});
  for (StageDurations &stage : stages)
    stage.forwardCommunication = stage.backwardCommunication = Nanoseconds(30);
  Schedule schedule;
  schedule.stageCount = schedule.microBatchCount = 2;
  auto step = [](ActionKind kind, int64_t stage, int64_t m) {
    return Step{{kind, stage, m}, {}};
  };
  Step pair = step(ActionKind::Forward, 0, 1);
  pair.partner = Action{ActionKind::Backward, 1, 0};
  schedule.ranks = {
      {step(ActionKind::Forward, 0, 0), step(ActionKind::Forward, 1, 0), pair,
       step(ActionKind::Forward, 1, 1), step(ActionKind::Backward, 1, 1),
       step(ActionKind::Backward, 0, 0), step(ActionKind::Backward, 0, 1)}};
  auto apart = simulate(schedule, stages, error, {1.5});
  ASSERT_TRUE(apart) << error;
  // Six passes alone, and a pair of 200 whose hidden 60 cost half as much.
  EXPECT_EQ(apart->makespan.count(), 6 * 130 + 200 + 30);
}

TEST(Simulation, CollectivesOfAStage) {
  std::string error;
  auto schedule = makeSchedule(oneForwardOneBackward, {1, 1, 2}, error);
  ASSERT_TRUE(schedule);
  auto stages = evenStages(1, {100, 50, 50});
  stages[0].gather = Nanoseconds(40);
  stages[0].reduce = Nanoseconds(60);
  stages[0].update = Nanoseconds(7);
  auto simulation =
      simulate(addCommunication(*schedule, {true, true, true}), stages, error);
  ASSERT_TRUE(simulation) << error;
  EXPECT_EQ(simulation->makespan.count(), 40 + 400 + 60 + 7);
}

TEST(Simulation, RecomputationComesBeforeTheBackwardPass) {
  auto stages = evenStages(1, {100, 50, 50});
  stages[0].recompute = Nanoseconds(90);
  for (ScheduleFamily family :
       {ScheduleFamily::GPipe, ScheduleFamily::ZeroBubbleH1})
    EXPECT_EQ(play(family, {1, 1, 3}, stages).makespan.count(), 3 * 290);
}

TEST(Simulation, RefusesWhatItCannotPlay) {
  std::string error;
  auto schedule = makeSchedule(oneForwardOneBackward, {2, 1, 2}, error);
  ASSERT_TRUE(schedule);
  auto stages = evenStages(2, {100, 50, 50});
  EXPECT_FALSE(simulate(*schedule, evenStages(3, {1, 1, 1}), error));
  EXPECT_EQ(error, "2 stages in the schedule, durations of 3");
  stages[1].forward = Nanoseconds(-1);
  EXPECT_FALSE(simulate(*schedule, stages, error));
  EXPECT_NE(error.find("stage 1"), std::string::npos);
  stages[1].forward = Nanoseconds::saturated();
  EXPECT_FALSE(simulate(*schedule, stages, error));
  stages[1].forward = Nanoseconds(1);
  EXPECT_FALSE(simulate(*schedule, stages, error, {0.5}));
  std::swap(schedule->ranks[1].front(), schedule->ranks[1].back());
  EXPECT_FALSE(simulate(*schedule, stages, error));
  EXPECT_NE(error.find("deadlock"), std::string::npos);
}

} // namespace
