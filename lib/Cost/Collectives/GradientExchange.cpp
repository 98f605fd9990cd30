// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Collectives/GradientExchange.h"

#include "../Seconds.h"

#include <algorithm>

namespace shardsmith {
namespace {

/// From a device to its host's memory, or back.
Nanoseconds copyTime(const Cluster &cluster, Bytes bytes) {
  double rate = cluster.groups.front().node.hostPcieBytesPerSecond;
  if (rate <= 0)
    return Nanoseconds(0);
  return cost::roundUp(double(bytes.count()) / rate);
}

} // namespace

GradientExchange priceGradientExchange(const ClusterTopology &topology,
                                       const CollectiveTimes &times,
                                       int64_t ranks, int64_t ranksPerMachine,
                                       Bytes gradients) {
  auto time = [&](CollectiveOp op, const GroupPath &path, Bytes bytes) {
    return times.time(op, path, bytes).time;
  };
  int64_t local = std::min(ranks, ranksPerMachine);
  int64_t machines = ceilDivide(ranks, local);
  GradientExchange exchange;
  exchange.allReduce =
      time(CollectiveOp::AllReduce, topology.path(1, ranks), gradients);
  // Each device sums up its part of the gradients of all, and at the end hands
  // the new values of its part to all.
  GroupPath inMachine = topology.path(1, local);
  exchange.parameterServers =
      time(CollectiveOp::ReduceScatter, inMachine, gradients) +
      time(CollectiveOp::AllGather, inMachine, gradients);
  if (machines == 1)
    return exchange;
  // What is summed up goes to the host and from there to the servers whose part
  // it is, all messages at once; their sums come back the same way.
  Bytes part(ceilDivide(gradients.count(), local));
  Bytes ofOthers = part - Bytes(part.count() / machines);
  Nanoseconds oneWay =
      copyTime(topology.cluster(), part) +
      time(CollectiveOp::SendReceive, topology.path(local, machines), ofOthers);
  exchange.parameterServers += oneWay * 2;
  return exchange;
}

} // namespace shardsmith
