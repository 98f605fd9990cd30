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

TEST(ClosedForms, ZeroBubbleH1) {
  for (Times t : unequal)
    forEachShape(1, [&](PipelineShape s) {
      EXPECT_EQ(bubble(ScheduleFamily::ZeroBubbleH1, s, t),
                (s.ranks - 1) * (t.f + t.i - t.w));
    });
}

TEST(ClosedForms, ZeroBubbleH2) {
  for (Times t : unequal)
    forEachShape(1, [&](PipelineShape s) {
      EXPECT_EQ(bubble(ScheduleFamily::ZeroBubbleH2, s, t),
                std::max<int64_t>(0, (s.ranks - 1) * (t.f + t.i - 2 * t.w)));
    });
}

TEST(ClosedForms, ZeroBubbleV) {
  forEachShape(2, [&](PipelineShape s) {
    EXPECT_EQ(bubble(ScheduleFamily::ZeroBubbleV, s, {100, 100, 100}), 0);
  });
}

TEST(ClosedForms, DualPipeV) {
  for (Times t : unequal)
    forEachShape(2, [&](PipelineShape s) {
      int64_t both = t.f + t.b();
      EXPECT_EQ(bubble(ScheduleFamily::DualPipeV, s, t),
                (s.ranks - 1) * (both + t.b() - 3 * t.w));
    });
}

} // namespace
