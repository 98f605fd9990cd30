// SPDX-License-Identifier: Apache-2.0

#include "Schedules.h"

#include <algorithm>

namespace shardsmith::check {
namespace {

Nanoseconds fillAndDrain(const PipelineSize &size, const Passes &passes) {
  return (passes.forward + passes.backwardInput + passes.backwardWeight) *
         size.gaps();
}

/// Gradients of parameters fill `each` gaps per other rank.
template <int64_t each>
Nanoseconds filledGaps(const PipelineSize &size, const Passes &passes) {
  return (passes.forward + passes.backwardInput) * size.gaps() -
         passes.backwardWeight * std::min(each * size.gaps(), size.delayed());
}

using Held = std::pair<int64_t, int64_t>;

std::span<const ScheduleFacts> tableOfSchedules() {
  static const ScheduleFacts schedules[] = {
      {ScheduleFamily::GPipe, fillAndDrain,
       [](const PipelineSize &size, int64_t) {
         return Held{size.microBatches, 1};
       }},
      {ScheduleFamily::OneForwardOneBackward, fillAndDrain,
       [](const PipelineSize &size, int64_t rank) {
         return Held{std::min(size.microBatches, size.ranks - rank), 1};
       }},
      {ScheduleFamily::EagerOneForwardOneBackward, fillAndDrain,
       [](const PipelineSize &size, int64_t rank) {
         return Held{std::min(size.microBatches, 2 * (size.ranks - rank) - 1),
                     1};
       },
       /*sendsBesideWork=*/true},
      // Of fewer micro-batches than ranks the first one comes back later than
      // the last one has left.
      {ScheduleFamily::Interleaved,
       [](const PipelineSize &size, const Passes &passes) {
         int64_t absent = std::max<int64_t>(size.ranks - size.microBatches, 0);
         return (passes.forward + passes.backwardInput +
                 passes.backwardWeight) *
                (size.gaps() + absent * (size.stages - 1));
       },
       [](const PipelineSize &size, int64_t rank) {
         int64_t all = size.microBatches, v = size.stages;
         int64_t round = all / std::max<int64_t>(1, all / size.ranks);
         int64_t ahead = (v - 1) * round + 2 * (size.ranks - rank - 1) + 1;
         return Held{std::min(v * all, ahead), v};
       },
       /*sendsBesideWork=*/false,
       // Walked, messages slow other passes than those under way, and come out
       // up to seven parts in a thousand too fast.
       /*believedShare=*/0},
      {ScheduleFamily::ZeroBubbleH1, filledGaps<1>,
       [](const PipelineSize &size, int64_t) {
         return Held{std::min(size.microBatches, size.ranks), 1};
       }},
      {ScheduleFamily::ZeroBubbleH2, filledGaps<2>,
       [](const PipelineSize &size, int64_t) {
         return Held{std::min(size.microBatches, 2 * size.ranks), 1};
       }},
      {ScheduleFamily::ZeroBubbleV, filledGaps<2>,
       [](const PipelineSize &size, int64_t) {
         return Held{std::min(2 * size.microBatches, 2 * size.ranks), 2};
       }},
      {ScheduleFamily::DualPipeV,
       [](const PipelineSize &size, const Passes &passes) {
         return (passes.forward + passes.backwardInput * 2 -
                 passes.backwardWeight) *
                size.gaps();
       },
       [](const PipelineSize &size, int64_t) {
         return Held{std::min(2 * size.microBatches, 2 * size.ranks + 1), 2};
       }},
  };
  return schedules;
}

} // namespace

std::span<const ScheduleFacts> allSchedules() { return tableOfSchedules(); }

const ScheduleFacts &factsOf(ScheduleFamily family) {
  return *std::ranges::find(tableOfSchedules(), family, &ScheduleFacts::family);
}

} // namespace shardsmith::check
