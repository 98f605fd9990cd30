// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CHECK_PLAYEDLINE_H
#define SHARDSMITH_LIB_CHECK_PLAYEDLINE_H

#include "RankCosts.h"

namespace shardsmith::check {

/// One line of stages, played action by action.
struct PlayedLine {
  /// By the walk through the lists that plans are priced with; 0 where there is
  /// no schedule to speak of, or too long a one.
  Nanoseconds walked;
  /// By the event simulation, which shares only the lists with that; nothing
  /// where there are too many passes.
  std::optional<Nanoseconds> simulated;
};

/// `stages`: what each stage does on its own, with what it sends. `joint`: what
/// each adds to its update, as the rank exchanges what others hold as well.
PlayedLine playLine(const Strategy &strategy, const StackProfile &profile,
                    const RankCosts &costs, std::span<const RankWork> stages,
                    std::span<const Nanoseconds> joint, int64_t microBatches);

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_PLAYEDLINE_H
