// SPDX-License-Identifier: Apache-2.0
//
// Plans whose replicas lie on several device kinds. Each replica lies on one
// kind. All have the same stages and layouts, and faster ones take more
// micro-batches of a step:
//
//     data rank   0    1    2   │  3    4    5
//     devices     H100          │  A100
//     batches     5    5    5   │  3    3    2      wait for the slowest kind
//
// Plans of the other sort on mixed devices, whose pipeline ranks lie on
// different kinds, are part of every variant (PoolSequences.h).

#ifndef SHARDSMITH_LIB_PLAN_MIXEDDEVICES_MICROBATCHBALANCING_H
#define SHARDSMITH_LIB_PLAN_MIXEDDEVICES_MICROBATCHBALANCING_H

#include "../Configurations/ConfigurationSearch.h"

#include <limits>

namespace shardsmith::search {

/// Replicas that are alike: on the same device kind, with the same work.
struct ReplicaGroup {
  int64_t ranks = 1;
  /// The step of a replica with that many micro-batches; it must not fall when
  /// the number rises.
  std::function<Nanoseconds(int64_t)> step;
  /// Whether the schedule exists for that many micro-batches.
  std::function<bool(int64_t)> canRun;
  /// The most micro-batches for which a replica has room.
  int64_t most = std::numeric_limits<int64_t>::max();
};

/// The micro-batches of every replica, group by group: at least one each, at
/// least `total` together, and such that no other way has a shorter slowest
/// replica. Empty if there is no way.
std::vector<int64_t> balanceMicroBatches(const std::vector<ReplicaGroup> &kinds,
                                         int64_t total);

/// A relaxation in reverse: the cluster as if all its devices were as slow as
/// the slowest kind and had the least memory of any. What fits there fits on
/// the real devices, so its plans are good starting points for balancing.
class UniformCluster {
public:
  explicit UniformCluster(const CostContext &context);
  UniformCluster(const UniformCluster &) = delete;
  UniformCluster &operator=(const UniformCluster &) = delete;

  const CostContext &context() const { return alike; }

private:
  Cluster cluster;
  ClusterTopology topology;
  CostContext alike;
};

/// The plan with `ranksOnPools[pool]` of its replicas on each pool and with
/// balanced micro-batches; nothing if it does not fit. Its data axis must be
/// outermost.
std::optional<Candidate>
placeReplicas(const CostContext &context, const Strategy &plan,
              const std::vector<int64_t> &ranksOnPools);

/// A plan of the uniform cluster on the real devices, with balanced
/// micro-batches: one candidate for every way to lay its replicas on several
/// kinds and for every micro-batch size that the plan's can be halved to.
/// Candidates that do not fit are left out.
std::vector<Candidate> balancedPlans(const CostContext &context,
                                     const SearchConstraints &constraints,
                                     const Strategy &plan);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_MIXEDDEVICES_MICROBATCHBALANCING_H
