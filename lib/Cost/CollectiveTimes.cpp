// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/CollectiveTimes.h"

#include <algorithm>
#include <cmath>

namespace shardsmith {
namespace {

/// Seconds of one algorithm.
struct Candidate {
  double seconds;
  std::string_view algorithm;
};

/// Bytes that each member sends ÷ bytes of the tensor.
double volume(CollectiveOp op, double members) {
  double share = (members - 1) / members;
  return op == CollectiveOp::AllReduce ? 2 * share : share;
}

/// A ring of one level's parts, all of whose devices exchange `bytes` with
/// their peers side by side.
double levelSeconds(CollectiveOp op, const PathLevel &level, double bytes) {
  double fanout = double(level.fanout);
  double rounds = op == CollectiveOp::AllReduce ? 2 : 1;
  return rounds * (fanout - 1) * level.latencySeconds +
         volume(op, fanout) * bytes / level.bytesPerSecond;
}

/// One ring through all members. Each level's links are passed once per part
/// and step; the narrowest sets the pace.
Candidate ring(CollectiveOp op, const GroupPath &path, double bytes) {
  double rounds = op == CollectiveOp::AllReduce ? 2 : 1;
  double rate = INFINITY, latency = 0, inside = 1;
  double outside = 1;
  for (const PathLevel &level : path.levels)
    outside *= double(level.fanout);
  for (const PathLevel &level : path.levels) {
    double fanout = double(level.fanout);
    outside /= fanout;
    latency += rounds * (fanout - 1) * outside * level.latencySeconds;
    rate = std::min(rate, level.bytesPerSecond * inside);
    inside *= fanout;
  }
  return {latency + volume(op, double(path.members)) * bytes / rate, "ring"};
}

Candidate tree(const GroupPath &path, double bytes) {
  double rate = INFINITY, latency = 0, members = 1;
  for (const PathLevel &level : path.levels) {
    rate = std::min(rate, level.bytesPerSecond * members);
    latency +=
        2 * std::ceil(std::log2(double(level.fanout))) * level.latencySeconds;
    members *= double(level.fanout);
  }
  return {latency + 2 * bytes / rate, "tree"};
}

/// Level by level from the inside out, each on the part that the levels inside
/// have left it.
Candidate hierarchical(CollectiveOp op, const GroupPath &path, double bytes) {
  double seconds = 0, members = 1;
  for (const PathLevel &level : path.levels) {
    seconds += levelSeconds(op, level, bytes / members);
    members *= double(level.fanout);
  }
  return {seconds, "hierarchical"};
}

Candidate allToAll(const GroupPath &path, double bytes) {
  // What a member sends beyond each level's parts passes that level.
  double seconds = 0, members = 1;
  double all = double(path.members);
  for (const PathLevel &level : path.levels) {
    double inside = members;
    members *= double(level.fanout);
    double share = std::min((members - inside) / all, (all - 1) / all);
    seconds = std::max(seconds, share * bytes / level.bytesPerSecond) +
              double(level.fanout - 1) * level.latencySeconds;
  }
  return {seconds, "direct"};
}

Candidate send(const GroupPath &path, double bytes) {
  const PathLevel &level = path.levels.back();
  return {level.latencySeconds + bytes / level.pairBytesPerSecond, "direct"};
}

/// In-switch reduction: members send their part up once and get it back once.
Candidate inSwitch(CollectiveOp op, const PathLevel &level, double bytes) {
  double passes = op == CollectiveOp::AllReduce ? 2 : 1;
  return {passes * level.latencySeconds + bytes / level.bytesPerSecond, "nvls"};
}

bool allows(const Cluster &cluster, CollectiveOp op,
            std::string_view algorithm) {
  auto found = cluster.algorithms.find(std::string(nameOf(op)));
  if (found == cluster.algorithms.end() || found->second.empty())
    return true;
  return std::find(found->second.begin(), found->second.end(), algorithm) !=
         found->second.end();
}

std::string scopeOf(const GroupPath &path) {
  const PathLevel &outer = path.levels.back();
  if (outer.name == "island" || outer.name == "node")
    return outer.group + ".node";
  return outer.name == "network" ? outer.group : "*";
}

double secondsAt(const std::vector<CalibrationPoint> &points, double bytes) {
  if (bytes <= double(points.front().bytes))
    return points.front().seconds;
  if (bytes >= double(points.back().bytes))
    return points.back().seconds * bytes / double(points.back().bytes);
  auto next =
      std::lower_bound(points.begin(), points.end(), bytes,
                       [](const CalibrationPoint &point, double wanted) {
                         return double(point.bytes) < wanted;
                       });
  auto previous = std::prev(next);
  double low = std::log(double(std::max<int64_t>(previous->bytes, 1)));
  double part = (std::log(bytes) - low) / (std::log(double(next->bytes)) - low);
  return std::exp(std::log(previous->seconds) * (1 - part) +
                  std::log(next->seconds) * part);
}

std::optional<double> measured(const Cluster &cluster, CollectiveOp op,
                               const GroupPath &path, double bytes) {
  if (cluster.calibration.empty())
    return std::nullopt;
  std::string scope = scopeOf(path);
  for (const Calibration &curve : cluster.calibration)
    if (curve.collective == nameOf(op) && curve.groupSize == path.members &&
        (curve.scope == "*" || curve.scope == scope))
      return secondsAt(curve.points, bytes);
  return std::nullopt;
}

Nanoseconds toTime(double seconds) {
  double nanoseconds = std::ceil(seconds * 1e9);
  if (!(nanoseconds < 9.2e18))
    return Nanoseconds::saturated();
  return Nanoseconds(int64_t(nanoseconds));
}

} // namespace

std::string_view nameOf(CollectiveOp op) {
  switch (op) {
  case CollectiveOp::AllReduce:
    return "all_reduce";
  case CollectiveOp::AllGather:
    return "all_gather";
  case CollectiveOp::ReduceScatter:
    return "reduce_scatter";
  case CollectiveOp::AllToAll:
    return "all_to_all";
  case CollectiveOp::SendReceive:
    return "send";
  }
  return "";
}

CollectiveTimes::CollectiveTimes(const Cluster &cluster,
                                 const StackProfile &profile)
    : cluster(&cluster), stack(&profile) {}

CollectiveTime CollectiveTimes::time(CollectiveOp op, const GroupPath &path,
                                     Bytes size) const {
  if (path.levels.empty() || size.count() <= 0)
    return {Nanoseconds(0), "direct", cluster->provenance};
  if (size.isSaturated())
    return {Nanoseconds::saturated(), "direct", cluster->provenance};
  double bytes = double(size.count()) / stack->collectiveRate;
  if (std::optional<double> seconds = measured(*cluster, op, path, bytes))
    return {toTime(*seconds), "measured", Provenance::Measured};

  Candidate best{INFINITY, "ring"};
  auto consider = [&](Candidate candidate) {
    bool isAllowed = candidate.algorithm == "direct" ||
                     allows(*cluster, op, candidate.algorithm);
    if (isAllowed && candidate.seconds < best.seconds)
      best = candidate;
  };
  switch (op) {
  case CollectiveOp::AllToAll:
    consider(allToAll(path, bytes));
    break;
  case CollectiveOp::SendReceive:
    consider(send(path, bytes));
    break;
  case CollectiveOp::AllReduce:
    consider(tree(path, bytes));
    [[fallthrough]];
  case CollectiveOp::AllGather:
  case CollectiveOp::ReduceScatter:
    consider(ring(op, path, bytes));
    if (path.levels.size() > 1)
      consider(hierarchical(op, path, bytes));
    else if (path.levels.front().multicast)
      consider(inSwitch(op, path.levels.front(), bytes));
    break;
  }
  if (best.seconds == INFINITY)
    best = ring(op, path, bytes);
  return {toTime(best.seconds), best.algorithm, cluster->provenance};
}

} // namespace shardsmith
