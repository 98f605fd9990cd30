// SPDX-License-Identifier: Apache-2.0

#include "AnyOrder.h"

#include "shardsmith/Cost/AxisPaths.h"

#include <algorithm>
#include <set>

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

void add(PathChoice &choice, GroupPath path) {
  for (const GroupPath &other : choice.paths)
    if (isNoWorse(other, path))
      return;
  std::erase_if(choice.paths,
                [&](const GroupPath &other) { return isNoWorse(path, other); });
  choice.paths.push_back(std::move(path));
}

/// Collects the paths of one combination after the other; what is numbered
/// alike is looked at once.
class Collector {
public:
  Collector(const ClusterTopology &topology,
            const SearchConstraints &constraints)
      : topology(topology), constraints(constraints) {}

  void add(const DegreeClass &degrees) {
    Strategy outer = degrees.strategy();
    int64_t ranks = degrees.ranks();
    for (std::vector<PlanAxis> &order : axisOrders(degrees, constraints)) {
      outer.deviceOrder = std::move(order);
      AxisPaths paths(topology, outer);
      int64_t data = paths.stride(PlanAxis::Data);
      int64_t context = paths.stride(PlanAxis::Context);
      auto addNew = [&](PathChoice &choice, PlanAxis axis) {
        if (seen.insert({int64_t(axis), paths.stride(axis), 0, 0, ranks})
                .second)
          search::add(choice, paths.axis(axis, 0));
      };
      addNew(choices.tensor, PlanAxis::Tensor);
      addNew(choices.context, PlanAxis::Context);
      if (seen.insert({-1, data, context, degrees.data, ranks}).second)
        search::add(choices.expert, paths.replicas(1, degrees.expert, 0));
    }
  }

  AxisChoices choices;

private:
  const ClusterTopology &topology;
  const SearchConstraints &constraints;
  /// What a path depends on beside the degrees that all have.
  std::set<std::array<int64_t, 5>> seen;
};

} // namespace

AnyOrder::AnyOrder(const CostContext &context,
                   const SearchConstraints &constraints,
                   const std::vector<DegreeClass> &classes)
    : context(context), constraints(constraints) {
  for (const DegreeClass &degrees : classes) {
    std::vector<std::pair<int64_t, int64_t>> &pairs =
        others[{degrees.tensor, degrees.context, degrees.expert}];
    std::pair pair(degrees.data, degrees.pipeline);
    // Those that differ in the micro-batch follow each other.
    if (pairs.empty() || pairs.back() != pair)
      pairs.push_back(pair);
  }
}

AxisChoices AnyOrder::choices(int64_t tensor, int64_t context,
                              int64_t expert) const {
  Collector collector(this->context.topology, constraints);
  DegreeClass degrees{tensor, context, 1, 1, expert};
  for (auto [data, pipeline] : others.at({tensor, context, expert})) {
    degrees.data = data;
    degrees.pipeline = pipeline;
    collector.add(degrees);
  }
  return std::move(collector.choices);
}

} // namespace shardsmith::search
