// SPDX-License-Identifier: Apache-2.0

#include "RelaxedPaths.h"
#include "../Support/NumberHash.h"

#include "shardsmith/Cost/Paths/AxisPaths.h"

#include <algorithm>

namespace shardsmith::search {

namespace {

/// The same links, and none of these slower.
bool isNoWorse(const GroupPath &a, const GroupPath &b) {
  return a.members == b.members &&
         std::ranges::equal(
             a.levels, b.levels, [](const PathLevel &a, const PathLevel &b) {
               return a.name == b.name && a.group == b.group &&
                      a.link == b.link && a.linkKind == b.linkKind &&
                      a.fanout == b.fanout && a.multicast == b.multicast &&
                      a.latencySeconds <= b.latencySeconds &&
                      a.bytesPerSecond >= b.bytesPerSecond &&
                      a.pairBytesPerSecond >= b.pairBytesPerSecond;
             });
}

void add(std::vector<GroupPath> &paths, GroupPath path) {
  for (const GroupPath &other : paths)
    if (isNoWorse(other, path))
      return;
  std::erase_if(paths,
                [&](const GroupPath &other) { return isNoWorse(path, other); });
  paths.push_back(std::move(path));
}

} // namespace

/// Goes through configurations that have all but the expert degree and the
/// micro-batch in common together.
class RelaxedPaths::Collector {
public:
  Collector(RelaxedPaths &found, const ClusterTopology &topology,
            const SearchConstraints &constraints)
      : found(found), topology(topology), constraints(constraints) {}

  void add(const ParallelConfiguration &degrees) {
    ParallelConfiguration alike = degrees;
    alike.expert = alike.microBatch = 1;
    if (alike != last || orders.empty()) {
      last = alike;
      addOrders();
    } else if (degrees.expert == lastExpert) {
      return;
    }
    lastExpert = degrees.expert;
    for (const Strategy &order : orders)
      addExpert(order, degrees.expert);
  }

  void finish() {
    for (auto [from, to] : {std::pair(&tensorPaths, &found.tensorPaths),
                            {&contextPaths, &found.contextPaths},
                            {&expertPaths, &found.expertPaths}})
      for (auto &[degree, paths] : *from)
        to->emplace(degree, std::move(paths));
  }

private:
  using ByDegree = std::map<int64_t, std::vector<GroupPath>>;

  void addOrders() {
    orders.clear();
    for (std::vector<PlanAxis> &order : axisOrders(last, constraints)) {
      orders.push_back(last.strategy());
      orders.back().deviceOrder = std::move(order);
      addAxis(orders.back(), PlanAxis::Tensor, tensorPaths);
      addAxis(orders.back(), PlanAxis::Context, contextPaths);
    }
  }

  void addAxis(const Strategy &outer, PlanAxis axis, ByDegree &choices) {
    AxisPaths paths(topology, outer);
    int64_t degree = outer.degree(axis);
    if (isNew({int64_t(axis), degree, paths.stride(axis), 0, 0,
               outer.rankCount()}))
      search::add(choices[degree], paths.axis(axis, 0));
  }

  void addExpert(const Strategy &outer, int64_t degree) {
    AxisPaths paths(topology, outer);
    int64_t data = paths.stride(PlanAxis::Data);
    int64_t context = paths.stride(PlanAxis::Context);
    int64_t near = data < context ? outer.data : outer.context;
    if (isNew({-1, degree, data, context, near, outer.rankCount()}))
      search::add(expertPaths[degree], paths.replicas(1, degree, 0));
  }

  /// What a path depends on has not been seen before.
  bool isNew(const std::array<int64_t, 6> &site) {
    return seen.insert(site).second;
  }

  RelaxedPaths &found;
  const ClusterTopology &topology;
  const SearchConstraints &constraints;
  ParallelConfiguration last;
  int64_t lastExpert = 0;
  /// Those of `last`.
  std::vector<Strategy> orders;
  NumberSet<6> seen;
  ByDegree tensorPaths, contextPaths, expertPaths;
};

RelaxedPaths::RelaxedPaths(
    const ClusterTopology &topology, const SearchConstraints &constraints,
    const std::vector<ParallelConfiguration> &configurations) {
  if (topology.pools().size() > 1)
    return;
  Collector collector(*this, topology, constraints);
  for (const ParallelConfiguration &degrees : configurations)
    collector.add(degrees);
  collector.finish();
}

} // namespace shardsmith::search
