// SPDX-License-Identifier: Apache-2.0

#include "Deadlock.h"

#include "Messages.h"

#include <fmt/format.h>

namespace shardsmith::schedule {
namespace {

class Deadlock {
public:
  Deadlock(const Schedule &schedule, const std::vector<size_t> &standing,
           const ReplayState &state)
      : schedule(schedule), standing(standing), state(state) {}

  bool isThrough(size_t rank) const {
    return standing[rank] >= schedule.ranks[rank].size();
  }

  std::string describe(size_t rank) const {
    std::string text =
        fmt::format("deadlock: rank {} stands at {}", rank, str(stepOf(rank)));
    forEachAction(stepOf(rank), [&](const Action &action) {
      if (std::optional<Blocked> blocked = state.blocked(action))
        text += fmt::format(", waiting for {} on rank {}", blocked->awaited,
                            blocked->rank);
    });
    return text;
  }

  /// Follows from `rank` who waits for whom until a rank would have to run
  /// something that is further down its own list, or that no list has.
  std::string fix(size_t rank) const {
    std::vector<bool> seen(standing.size(), false);
    while (!isThrough(rank) && !seen[rank]) {
      seen[rank] = true;
      Blocked blocked = blockedAt(rank);
      if (!blocked.value)
        return fmt::format("run {} behind {}", str(stepOf(rank)),
                           blocked.awaited);
      if (blocked.rank < 0)
        return {};
      auto maker = size_t(blocked.rank);
      if (maker != rank && schedule.hasCommunication()) {
        Action receive = receiveOf(*blocked.value);
        if (isLater(rank, receive))
          return runBefore(receive, rank);
        for (const Action &message : {receive, sendOf(*blocked.value)})
          if (!lastPositionOf(schedule, message))
            return fmt::format("add {}", str(message));
      }
      std::optional<Action> awaited = laterPass(maker, *blocked.value);
      if (!awaited)
        return {};
      if (seen[maker])
        return runBefore(*awaited, maker);
      rank = maker;
    }
    return {};
  }

private:
  const Step &stepOf(size_t rank) const {
    return schedule.ranks[rank][standing[rank]];
  }

  Blocked blockedAt(size_t rank) const {
    std::optional<Blocked> first = state.blocked(stepOf(rank).action);
    if (!first && stepOf(rank).partner)
      first = state.blocked(*stepOf(rank).partner);
    return first.value_or(Blocked{"", int64_t(rank)});
  }

  std::string runBefore(const Action &action, size_t rank) const {
    return fmt::format("run {} before {} on rank {}", str(action),
                       str(stepOf(rank)), rank);
  }

  bool isLater(size_t rank, const Action &action) const {
    std::optional<StepPosition> position = lastPositionOf(schedule, action);
    return position && position->rank == rank &&
           position->index > standing[rank];
  }

  /// The pass that makes the value, from where the rank stands on.
  std::optional<Action> laterPass(size_t rank, const Value &value) const {
    std::optional<Action> found;
    for (size_t i = standing[rank]; i < schedule.ranks[rank].size(); ++i)
      forEachAction(schedule.ranks[rank][i], [&](const Action &action) {
        if (!isCompute(action.kind) || action.stage != value.stage ||
            action.microBatch != value.microBatch)
          return;
        for (Product product : productsOf(action.kind))
          if (product == value.product)
            found = action;
      });
    return found;
  }

  const Schedule &schedule;
  const std::vector<size_t> &standing;
  const ReplayState &state;
};

} // namespace

void describeDeadlock(const Schedule &schedule,
                      const std::vector<size_t> &standing,
                      const ReplayState &state, Findings &findings) {
  Deadlock deadlock(schedule, standing, state);
  for (size_t rank = 0; rank < standing.size(); ++rank)
    if (!deadlock.isThrough(rank))
      findings.add({deadlock.describe(rank), deadlock.fix(rank),
                    StepPosition{rank, standing[rank]}});
}

} // namespace shardsmith::schedule
