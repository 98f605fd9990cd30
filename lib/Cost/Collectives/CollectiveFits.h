// SPDX-License-Identifier: Apache-2.0
//
// Times of collectives by constants that were fitted to measurements of a link.

#ifndef SHARDSMITH_LIB_COST_COLLECTIVES_COLLECTIVEFITS_H
#define SHARDSMITH_LIB_COST_COLLECTIVES_COLLECTIVEFITS_H

#include "shardsmith/Cost/Collectives/CollectiveTimes.h"

#include <optional>

namespace shardsmith::cost {

/// A collective's time without and with only its transfer; they add up by
/// `smoothMaximum(latency, transfer, power)`.
struct FittedTime {
  double latency = 0, transfer = 0, power = 1;
};

/// The time by the constants that are fitted to the level's link; nothing if it
/// has none for the collective. Between and beyond the group sizes that were
/// measured, constants are interpolated in the logarithm of the size.
std::optional<FittedTime> fittedTime(const Cluster &cluster, CollectiveOp op,
                                     const PathLevel &level, double bytes);
std::optional<double> fittedSeconds(const Cluster &cluster, CollectiveOp op,
                                    const PathLevel &level, double bytes);

} // namespace shardsmith::cost

#endif // SHARDSMITH_LIB_COST_COLLECTIVES_COLLECTIVEFITS_H
