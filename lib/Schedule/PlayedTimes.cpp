// SPDX-License-Identifier: Apache-2.0

#include "PlayedTimes.h"

#include "Dependencies.h"

#include <algorithm>
#include <cmath>

namespace shardsmith::schedule {

int64_t PlayedTimes::slowedBy(const Action &action) const {
  Nanoseconds messages;
  auto of = [&](int64_t stage) -> const StageDurations & {
    return stages[size_t(stage)];
  };
  bool hasNext = action.stage + 1 < stageCount() &&
                 rankOf(action.stage) != rankOf(action.stage + 1);
  bool hasPrevious =
      action.stage > 0 && rankOf(action.stage) != rankOf(action.stage - 1);
  if (action.kind == ActionKind::Forward) {
    if (hasNext)
      messages += of(action.stage).sendForward;
    if (hasPrevious)
      messages += of(action.stage - 1).sendForward;
  } else if (makesInputGradient(action.kind)) {
    if (hasPrevious)
      messages += of(action.stage).sendBackward;
    if (hasNext)
      messages += of(action.stage + 1).sendBackward;
  }
  return std::llround(double(messages.count()) * slowed);
}

Nanoseconds PlayedTimes::onRank(const Step &step) const {
  Nanoseconds time = durations.onComputeStream(step);
  forEachAction(step, [&](const Action &action) {
    time += Nanoseconds(slowedBy(action));
  });
  return time;
}

std::optional<Nanoseconds> PlayedTimes::messageOf(const Action &pass) const {
  std::optional<int64_t> reader = readerOf(pass, stageCount());
  if (!reader || rankOf(*reader) == rankOf(pass.stage))
    return std::nullopt;
  const StageDurations &stage = stages[size_t(pass.stage)];
  return pass.kind == ActionKind::Forward ? stage.sendForward
                                          : stage.sendBackward;
}

template <typename Visitor>
int64_t PlayedTimes::reduce(std::span<const GradientsMade> made,
                            Nanoseconds free, Visitor visit) const {
  int64_t reduced = 0, later = 0;
  for (auto [time, number] : made) {
    int64_t start = std::max(reduced, time.count() + later);
    reduced = start + stages[size_t(number)].reduce.count();
    int64_t beside = std::min(reduced, free.count() + later) - start;
    later += std::llround(double(std::max<int64_t>(beside, 0)) * slowed);
    visit(number, reduced);
  }
  return free.count() + later;
}

Nanoseconds PlayedTimes::endOf(std::span<const GradientsMade> made,
                               Nanoseconds free) const {
  int64_t allReduced = 0, updates = 0;
  int64_t computed = reduce(made, free, [&](int64_t stage, int64_t reduced) {
    allReduced = reduced;
    updates += stages[size_t(stage)].update.count();
  });
  return Nanoseconds(std::max(computed, allReduced) + updates);
}

Nanoseconds
PlayedTimes::endWithUpdatesInOrder(std::span<const GradientsMade> made,
                                   Nanoseconds free) const {
  std::vector<std::pair<int64_t, int64_t>> reductions;
  int64_t end = reduce(made, free, [&](int64_t stage, int64_t reduced) {
    reductions.emplace_back(stage, reduced);
  });
  std::ranges::sort(reductions);
  for (auto [stage, reduced] : reductions)
    end = std::max(end, reduced) + stages[size_t(stage)].update.count();
  return Nanoseconds(end);
}

} // namespace shardsmith::schedule
