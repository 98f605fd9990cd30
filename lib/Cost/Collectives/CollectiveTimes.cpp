// SPDX-License-Identifier: Apache-2.0
//
// Every formula is a sum or smooth maximum of terms that grow with the bytes
// and fall with the bandwidth, and the least of several such is taken: more
// bytes never take less time, more bandwidth never more.

#include "shardsmith/Cost/Collectives/CollectiveTimes.h"

#include "../Seconds.h"
#include "CollectiveFits.h"

#include <algorithm>
#include <cmath>

namespace shardsmith {
namespace {

using cost::fittedSeconds;
using cost::fittedTime;
using cost::smoothMaximum;

/// Seconds of one algorithm.
struct Candidate {
  double seconds = INFINITY;
  std::string_view algorithm;
  Provenance provenance = Provenance::Datasheet;
};

/// Bytes that each member sends ÷ bytes of the tensor.
double volume(CollectiveOp op, double members) {
  double share = (members - 1) / members;
  return op == CollectiveOp::AllReduce ? 2 * share : share;
}

/// Latency and transfer of a collective. `depth` is the part of the latency
/// that the shortest chain of messages needs.
struct Terms {
  double latency = 0, depth = 0, transfer = 0;
};

/// Collectives across nodes approach their bandwidth slowly: the power of the
/// smooth maximum of latency and transfer, after all-reduces on two and four
/// nodes (docs/cost-model.md).
constexpr double networkPower = 0.55;

double combine(const PathLevel &outermost, const Terms &terms) {
  if (outermost.name != "network")
    return terms.latency + terms.transfer;
  double depth = std::min(terms.depth, terms.latency);
  return terms.latency - depth +
         smoothMaximum(depth, terms.transfer, networkPower);
}

double depthOf(const PathLevel &level, double rounds) {
  return rounds * std::ceil(std::log2(double(level.fanout))) *
         level.latencySeconds;
}

class Pricing {
public:
  Pricing(const Cluster &cluster, double networkRate, CollectiveOp op,
          const GroupPath &path, double bytes)
      : cluster(cluster), networkRate(networkRate), op(op), path(path),
        bytes(bytes) {}

  /// One ring through all members. Each level's links are passed once per
  /// part and step; the narrowest sets the pace.
  Candidate ring() const {
    Terms terms;
    double rate = INFINITY, inside = 1, outside = 1;
    for (const PathLevel &level : path.levels)
      outside *= double(level.fanout);
    for (const PathLevel &level : path.levels) {
      double fanout = double(level.fanout);
      outside /= fanout;
      terms.latency += rounds() * (fanout - 1) * outside * level.latencySeconds;
      terms.depth += depthOf(level, rounds());
      rate = std::min(rate, bandwidth(level) * inside);
      inside *= fanout;
    }
    terms.transfer = volume(op, double(path.members)) * bytes / rate;
    return {combine(path.levels.back(), terms), "ring", cluster.provenance};
  }

  /// A tree between nodes and whatever is best inside them, in chunks, so
  /// that the slowest level sets the pace.
  Candidate tree() const {
    Terms terms;
    double inside = 1;
    for (const PathLevel &level : path.levels) {
      double fanout = double(level.fanout);
      // Inner nodes of a tree send and receive the whole tensor twice; two
      // trees that swap inner nodes and leaves share it, as in a ring.
      double levelBytes = path.levels.size() == 1
                              ? 2 * bytes
                              : volume(op, fanout) * bytes / inside;
      double latency = depthOf(level, rounds());
      double transfer = levelBytes / bandwidth(level);
      if (auto fitted = fittedTime(cluster, op, level, bytes / inside)) {
        latency = fitted->latency;
        transfer = fitted->transfer;
      }
      terms.latency += latency;
      terms.transfer = std::max(terms.transfer, transfer);
      inside *= fanout;
    }
    terms.depth = terms.latency;
    return {combine(path.levels.back(), terms), "tree", cluster.provenance};
  }

  /// Level by level from the inside out, each on the part that the levels
  /// inside have left it.
  Candidate hierarchical() const {
    double seconds = 0, inside = 1;
    for (const PathLevel &level : path.levels) {
      seconds += levelSeconds(level, bytes / inside);
      inside *= double(level.fanout);
    }
    return {seconds, "hierarchical", cluster.provenance};
  }

  /// Every member sends an equal part to every other one. A level carries what
  /// goes to the members that it reaches and the levels inside of it do not.
  Candidate allToAll() const {
    if (path.levels.size() == 1)
      if (auto seconds = fittedSeconds(cluster, op, path.levels[0], bytes))
        return {*seconds, "direct", cluster.provenance};
    Terms terms;
    double inside = 1, all = double(path.members);
    for (const PathLevel &level : path.levels) {
      double reached = std::min(inside * double(level.fanout), all);
      double transfer = (reached - inside) / all * bytes / bandwidth(level);
      terms.transfer = std::max(terms.transfer, transfer);
      terms.latency += double(level.fanout - 1) * level.latencySeconds;
      terms.depth += depthOf(level, 1);
      inside = reached;
    }
    return {combine(path.levels.back(), terms), "direct", cluster.provenance};
  }

  Candidate send() const {
    const PathLevel &level = path.levels.back();
    double rate = level.pairBytesPerSecond * shareOf(level);
    return {level.latencySeconds + bytes / rate, "direct", cluster.provenance};
  }

  /// In-switch reduction: members send the tensor up once and get it back.
  Candidate inSwitch() const {
    const PathLevel &level = path.levels.front();
    return {rounds() * level.latencySeconds + bytes / level.bytesPerSecond,
            "nvls", cluster.provenance};
  }

private:
  /// Passes over the members: an all-reduce gathers what it has reduced.
  double rounds() const { return op == CollectiveOp::AllReduce ? 2 : 1; }

  /// The share of a link's bandwidth that collectives get.
  double shareOf(const PathLevel &level) const {
    bool leavesNode = level.name == "network" || level.name == "interconnect";
    return leavesNode ? networkRate : 1;
  }
  double bandwidth(const PathLevel &level) const {
    return level.bytesPerSecond * shareOf(level);
  }

  double levelSeconds(const PathLevel &level, double levelBytes) const {
    if (auto seconds = fittedSeconds(cluster, op, level, levelBytes))
      return *seconds;
    double fanout = double(level.fanout);
    Terms terms{rounds() * (fanout - 1) * level.latencySeconds,
                depthOf(level, rounds()),
                volume(op, fanout) * levelBytes / bandwidth(level)};
    return combine(level, terms);
  }

  const Cluster &cluster;
  double networkRate;
  CollectiveOp op;
  const GroupPath &path;
  double bytes;
};

bool allows(const Cluster &cluster, CollectiveOp op,
            std::string_view algorithm) {
  if (algorithm == "direct")
    return true;
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
  if (size.isSaturated() || !path.isConnected())
    return {Nanoseconds::saturated(), "direct", cluster->provenance};
  double bytes = double(size.count()) / stack->collectiveRate;
  if (!cluster->calibration.empty())
    if (auto seconds = cluster->measuredSeconds(nameOf(op), scopeOf(path),
                                                path.members, bytes))
      return {cost::roundUp(*seconds), "measured", Provenance::Measured};

  Pricing pricing(*cluster, stack->networkRate, op, path, bytes);
  Candidate best;
  auto consider = [&](const Candidate &candidate) {
    if (candidate.seconds < best.seconds &&
        allows(*cluster, op, candidate.algorithm))
      best = candidate;
  };
  bool isOneLevel = path.levels.size() == 1;
  std::optional<double> fitted;
  switch (op) {
  case CollectiveOp::AllToAll:
    consider(pricing.allToAll());
    break;
  case CollectiveOp::SendReceive:
    consider(pricing.send());
    break;
  case CollectiveOp::AllReduce:
  case CollectiveOp::AllGather:
  case CollectiveOp::ReduceScatter:
    if (isOneLevel)
      fitted = cost::fittedSeconds(*cluster, op, path.levels[0], bytes);
    if (fitted) {
      best = {*fitted, "fitted", cluster->provenance};
      break;
    }
    consider(pricing.ring());
    if (op == CollectiveOp::AllReduce)
      consider(pricing.tree());
    if (!isOneLevel)
      consider(pricing.hierarchical());
    else if (path.levels.front().multicast)
      consider(pricing.inSwitch());
    break;
  }
  if (best.seconds == INFINITY)
    best = pricing.ring();
  return {cost::roundUp(best.seconds), best.algorithm, best.provenance};
}

} // namespace shardsmith
