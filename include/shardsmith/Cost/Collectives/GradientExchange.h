// SPDX-License-Identifier: Apache-2.0
//
// The two styles in which data ranks make their parameters equal again after a
// step: a collective of all ranks, or servers that keep the parameters, of
// which each machine runs one beside its workers.
//
//     all-reduce            parameter servers, one third of the gradients each
//     rank — rank           machine 0   machine 1   machine 2
//       \    /              worker ─push→ server 1, server 2
//        rank               server ─pull→ worker 1, worker 2
//
// With a server on each of n machines the interfaces of one carry 2 (n − 1) / n
// times the gradients either way, as in a ring of machines. Servers save
// latency, because all messages of a push or a pull travel at once; but they
// work in the memory of hosts, so gradients are copied there and back. Y. Jiang
// et al., "A Unified Architecture for Accelerating Distributed DNN Training in
// Heterogeneous GPU/CPU Clusters" (OSDI 2020), section 2, compares the two.
// docs/cost-model.md has the formulas.

#ifndef SHARDSMITH_COST_COLLECTIVES_GRADIENTEXCHANGE_H
#define SHARDSMITH_COST_COLLECTIVES_GRADIENTEXCHANGE_H

#include "shardsmith/Cost/Collectives/CollectiveTimes.h"

namespace shardsmith {

struct GradientExchange {
  Nanoseconds allReduce;
  /// What servers add up is not counted, only what is copied and sent; where
  /// the cluster does not say how devices reach their host, only what is sent.
  Nanoseconds parameterServers;

  /// All-reduce where they are equal, which needs no servers.
  bool prefersServers() const { return parameterServers < allReduce; }
};

/// `ranks` neighbours, at most `ranksPerMachine` on a machine, exchange
/// gradients of that size, which nothing hides. Servers cannot do without
/// several machines: on one, both styles sum over its devices.
GradientExchange priceGradientExchange(const ClusterTopology &topology,
                                       const CollectiveTimes &times,
                                       int64_t ranks, int64_t ranksPerMachine,
                                       Bytes gradients);

} // namespace shardsmith

#endif // SHARDSMITH_COST_COLLECTIVES_GRADIENTEXCHANGE_H
