// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Strategy/ScheduleTraits.h"

#include <algorithm>
#include <array>

namespace shardsmith {

namespace {

int64_t gaps(int64_t perRank, int64_t ranks, int64_t microBatches) {
  return perRank == 0 ? 0 : std::min(perRank * (ranks - 1), microBatches - 1);
}

/// Every pass of a rank makes all others wait.
IdlePasses allPasses(const ScheduleShape &shape) {
  int64_t others = shape.ranks - 1;
  return {others, others, others};
}

/// Gradients of parameters fill `perRank` gaps per other rank.
template <int64_t perRank>
IdlePasses passesWithFilledGaps(const ScheduleShape &shape) {
  int64_t others = shape.ranks - 1;
  return {others, others, -gaps(perRank, shape.ranks, shape.microBatches)};
}

int64_t any(int64_t) { return 1; }

constexpr std::array families = {
    ScheduleTraits{.family = ScheduleFamily::GPipe,
                   .name = "gpipe",
                   .stagesPerRank = 1,
                   .leastMicroBatches = any,
                   .inFlight = [](const ScheduleShape &shape,
                                  int64_t) { return shape.microBatches; },
                   .idle = allPasses},
    ScheduleTraits{.family = ScheduleFamily::OneForwardOneBackward,
                   .name = "1f1b",
                   .stagesPerRank = 1,
                   .leastMicroBatches = any,
                   .inFlight =
                       [](const ScheduleShape &shape, int64_t rank) {
                         return std::min(shape.ranks - rank,
                                         shape.microBatches);
                       },
                   .idle = allPasses},
    ScheduleTraits{.family = ScheduleFamily::EagerOneForwardOneBackward,
                   .name = "eager-1f1b",
                   .stagesPerRank = 1,
                   .hidesMessages = true,
                   .leastMicroBatches = any,
                   .inFlight =
                       [](const ScheduleShape &shape, int64_t rank) {
                         return std::min(2 * (shape.ranks - rank) - 1,
                                         shape.microBatches);
                       },
                   .idle = allPasses},
    // With fewer micro-batches than ranks a rank also waits between its stages.
    ScheduleTraits{
        .family = ScheduleFamily::Interleaved,
        .name = "interleaved",
        .hasRounds = true,
        // Messages come while a rank works on another stage. Played, they slow
        // the pass that reads them instead, which may be 0.7 % too fast.
        .playedTolerance = 0,
        .leastMicroBatches = any,
        .inFlight =
            [](const ScheduleShape &shape, int64_t rank) {
              int64_t stages = shape.stagesPerRank;
              int64_t round =
                  shape.microBatches /
                  std::max<int64_t>(1, shape.microBatches / shape.ranks);
              int64_t warmUp =
                  (stages - 1) * round + 2 * (shape.ranks - rank - 1) + 1;
              return std::min(stages * shape.microBatches, warmUp);
            },
        .idle =
            [](const ScheduleShape &shape) {
              int64_t missing =
                  std::max<int64_t>(0, shape.ranks - shape.microBatches);
              int64_t waits =
                  shape.ranks - 1 + missing * (shape.stagesPerRank - 1);
              return IdlePasses{waits, waits, waits};
            }},
    // Gradients of parameters, which need what was saved, come late: most so on
    // the last ranks, where forward passes are fewest.
    ScheduleTraits{.family = ScheduleFamily::ZeroBubbleH1,
                   .name = "zb-h1",
                   .stagesPerRank = 1,
                   .splitsBackward = true,
                   .leastMicroBatches = any,
                   .inFlight =
                       [](const ScheduleShape &shape, int64_t) {
                         return std::min(shape.ranks, shape.microBatches);
                       },
                   .idle = passesWithFilledGaps<1>,
                   .gapsPerRank = 1},
    ScheduleTraits{.family = ScheduleFamily::ZeroBubbleH2,
                   .name = "zb-h2",
                   .stagesPerRank = 1,
                   .splitsBackward = true,
                   .leastMicroBatches = any,
                   .inFlight =
                       [](const ScheduleShape &shape, int64_t) {
                         return std::min(2 * shape.ranks, shape.microBatches);
                       },
                   .idle = passesWithFilledGaps<2>,
                   .gapsPerRank = 2},
    ScheduleTraits{
        .family = ScheduleFamily::ZeroBubbleV,
        .name = "zb-v",
        .stagesPerRank = 2,
        .isVShaped = true,
        .splitsBackward = true,
        .leastMicroBatches = [](int64_t ranks) { return 2 * ranks - 1; },
        .inFlight =
            [](const ScheduleShape &shape, int64_t) {
              return std::min(2 * shape.ranks, 2 * shape.microBatches);
            },
        .idle = passesWithFilledGaps<2>,
        .gapsPerRank = 2},
    ScheduleTraits{.family = ScheduleFamily::DualPipeV,
                   .name = "dualpipe-v",
                   .stagesPerRank = 2,
                   .isVShaped = true,
                   .splitsBackward = true,
                   .leastMicroBatches = [](int64_t ranks) { return 2 * ranks; },
                   .inFlight =
                       [](const ScheduleShape &shape, int64_t) {
                         return std::min(2 * shape.ranks + 1,
                                         2 * shape.microBatches);
                       },
                   .idle =
                       [](const ScheduleShape &shape) {
                         int64_t others = shape.ranks - 1;
                         return IdlePasses{others, 2 * others, -others};
                       }},
};

static_assert(
    [] {
      for (size_t i = 0; i < families.size(); ++i)
        if (size_t(families[i].family) != i)
          return false;
      return families.size() == scheduleFamilies;
    }(),
    "rows are in the order of ScheduleFamily");

} // namespace

bool ScheduleTraits::canRun(int64_t ranks, int64_t microBatches) const {
  if (microBatches < leastMicroBatches(ranks))
    return false;
  return !hasRounds ||
         microBatches % std::max<int64_t>(1, microBatches / ranks) == 0;
}

int64_t ScheduleTraits::gapsFilled(int64_t ranks, int64_t microBatches) const {
  return gaps(gapsPerRank, ranks, microBatches);
}

const ScheduleTraits &traitsOf(ScheduleFamily family) {
  return families[size_t(family)];
}

std::span<const ScheduleTraits> allScheduleTraits() { return families; }

bool isVShaped(ScheduleFamily family) { return traitsOf(family).isVShaped; }

std::string_view nameOf(ScheduleFamily family) { return traitsOf(family).name; }

std::optional<ScheduleFamily> scheduleNamed(std::string_view name) {
  auto row = std::ranges::find(families, name, &ScheduleTraits::name);
  if (row == families.end())
    return std::nullopt;
  return row->family;
}

} // namespace shardsmith
