// SPDX-License-Identifier: Apache-2.0

#include "CollectiveFits.h"

#include "../Seconds.h"

#include <algorithm>
#include <cmath>

namespace shardsmith::cost {
namespace {

/// The constants for `members`, between the two neighbours that were measured.
std::optional<CollectiveFit>
fitFor(const LinkType &link, std::string_view collective, int64_t members) {
  const CollectiveFit *low = nullptr, *high = nullptr;
  for (const CollectiveFit &fit : link.collectiveFits) {
    if (fit.collective != collective)
      continue;
    if (fit.members <= members)
      low = &fit;
    if (fit.members >= members && !high)
      high = &fit;
  }
  if (!low && !high)
    return std::nullopt;
  if (!low)
    return *high;
  if (!high) {
    // A group larger than any that was measured sends more messages after one
    // another, at the same bandwidth.
    CollectiveFit fit = *low;
    fit.latencySeconds *=
        std::log2(double(members)) / std::log2(double(low->members));
    return fit;
  }
  if (low == high)
    return *low;
  double part = std::log(double(members) / double(low->members)) /
                std::log(double(high->members) / double(low->members));
  auto between = [&](double a, double b) {
    return std::exp(std::log(a) * (1 - part) + std::log(b) * part);
  };
  CollectiveFit fit = *low;
  fit.latencySeconds = between(low->latencySeconds, high->latencySeconds);
  fit.bytesPerSecond = between(low->bytesPerSecond, high->bytesPerSecond);
  fit.power = between(low->power, high->power);
  return fit;
}

double volumeOf(CollectiveOp op, double members) {
  return (op == CollectiveOp::AllReduce ? 2 : 1) * (members - 1) / members;
}

/// Bandwidth of the level ÷ that of its link alone: below one where a link is
/// impaired or shared.
double shareOf(const PathLevel &level, const LinkType &link) {
  double alone = link.bytesPerSecond * link.efficiency;
  if (!link.duplex)
    alone /= 2;
  return std::min(1.0, level.bytesPerSecond / alone);
}

} // namespace

std::optional<FittedTime> fittedTime(const Cluster &cluster, CollectiveOp op,
                                     const PathLevel &level, double bytes) {
  auto link = cluster.linkTypes.find(level.link);
  if (link == cluster.linkTypes.end() || link->second.collectiveFits.empty())
    return std::nullopt;
  std::optional<CollectiveFit> fit =
      fitFor(link->second, nameOf(op), level.fanout);
  // An all-reduce is a reduce-scatter and an all-gather.
  bool isHalf =
      op == CollectiveOp::AllGather || op == CollectiveOp::ReduceScatter;
  if (!fit && (isHalf || op == CollectiveOp::AllToAll)) {
    fit = fitFor(link->second, nameOf(CollectiveOp::AllReduce), level.fanout);
    if (fit)
      fit->latencySeconds /= 2;
  }
  if (!fit)
    return std::nullopt;
  double transfer = volumeOf(op, double(level.fanout)) * bytes /
                    (fit->bytesPerSecond * shareOf(level, link->second));
  return FittedTime{fit->latencySeconds, transfer, fit->power};
}

std::optional<double> fittedSeconds(const Cluster &cluster, CollectiveOp op,
                                    const PathLevel &level, double bytes) {
  std::optional<FittedTime> time = fittedTime(cluster, op, level, bytes);
  if (!time)
    return std::nullopt;
  return smoothMaximum(time->latency, time->transfer, time->power);
}

} // namespace shardsmith::cost
