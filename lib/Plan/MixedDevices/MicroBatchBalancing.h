// SPDX-License-Identifier: Apache-2.0
//
// Data ranks on devices of several kinds. Each rank of the data axis lies on
// one kind; all have the same stages and layouts, and the faster ones take more
// micro-batches of a step:
//
//     data rank   0    1    2   │  3    4    5
//     devices     H100          │  A100
//     batches     5    5    5   │  3    3    2      wait for the slowest kind
//
// The other plans on mixed devices, whose pipeline ranks lie on different
// kinds, are searched with everything else.

#ifndef SHARDSMITH_LIB_PLAN_MIXEDDEVICES_MICROBATCHBALANCING_H
#define SHARDSMITH_LIB_PLAN_MIXEDDEVICES_MICROBATCHBALANCING_H

#include "../Configurations/ConfigurationSearch.h"

#include <limits>

namespace shardsmith::search {

/// Data ranks that are alike.
struct ReplicaGroup {
  int64_t ranks = 1;
  /// Of a number of micro-batches, rising with it.
  std::function<Nanoseconds(int64_t)> step;
  /// Whether the schedule can be made for so many.
  std::function<bool(int64_t)> canRun;
  /// It has room for no more.
  int64_t most = std::numeric_limits<int64_t>::max();
};

/// Micro-batches of every rank, kind by kind, at least `total` together and
/// one each: none does them in less time. Empty if there is no such way.
std::vector<int64_t> balanceMicroBatches(const std::vector<ReplicaGroup> &kinds,
                                         int64_t total);

/// The cluster with all devices as slow as the slowest kind and with the least
/// memory of any: what fits there fits everywhere. Its plans say how to cut
/// model and data axis.
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

/// A plan whose data axis is outermost with so many of its data ranks on each
/// pool and the shares that are best for it; nothing where it does not fit.
std::optional<Candidate>
placeReplicas(const CostContext &context, const Strategy &plan,
              const std::vector<int64_t> &ranksOnPools);

/// A plan for alike devices on the real ones, with the shares that are best for
/// it: one candidate for every way to lay its data ranks on several kinds, and
/// every micro-batch size that halves the plan's. None where it does not fit.
std::vector<Candidate> balancedPlans(const CostContext &context,
                                     const SearchConstraints &constraints,
                                     const Strategy &plan);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_MIXEDDEVICES_MICROBATCHBALANCING_H
