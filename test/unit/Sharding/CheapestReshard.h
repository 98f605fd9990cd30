// SPDX-License-Identifier: Apache-2.0
//
// The cheapest way from one layout to all others, by Dijkstra's algorithm over
// all layouts and every single collective between two of them. Only for sizes
// that divide evenly, and for sums.

#ifndef SHARDSMITH_TEST_UNIT_SHARDING_CHEAPESTRESHARD_H
#define SHARDSMITH_TEST_UNIT_SHARDING_CHEAPESTRESHARD_H

#include "shardsmith/Sharding/Reshard.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <queue>
#include <set>
#include <string>

namespace shardsmith {

class CheapestReshard {
public:
  CheapestReshard(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                  int64_t elementBytes, const Layout &from)
      : mesh(mesh), shape(shape), elementBytes(elementBytes) {
    reach(from, Bytes(0));
    while (!frontier.empty()) {
      auto [cost, key] = frontier.top();
      frontier.pop();
      if (-cost == reached.at(key).first.count())
        expand(Layout(reached.at(key).second), Bytes(-cost));
    }
  }

  /// Every layout of a tensor of this rank.
  static std::vector<Layout> allLayouts(const Mesh &mesh, unsigned rank) {
    std::vector<Layout> layouts;
    AxisList axes;
    for (MeshAxis axis = 0; axis < mesh.getAxisCount(); ++axis)
      axes.push_back(axis);
    std::set<std::string> seen;
    do {
      // Place 0 is unused, 1 partial, then the dimensions.
      int64_t choices = 1;
      for (size_t i = 0; i < axes.size(); ++i)
        choices *= rank + 2;
      for (int64_t choice = 0; choice < choices; ++choice) {
        Layout layout = Layout::replicated(rank);
        AxisList partial;
        int64_t rest = choice;
        for (MeshAxis axis : axes) {
          int64_t place = rest % (rank + 2);
          rest /= rank + 2;
          if (place == 1)
            partial.push_back(axis);
          else if (place > 1)
            layout.dims[place - 2].push_back(axis);
        }
        layout.addPartial(partial, ReductionKind::Sum);
        if (seen.insert(layout.str(mesh)).second)
          layouts.push_back(layout);
      }
    } while (std::next_permutation(axes.begin(), axes.end()));
    return layouts;
  }

  Bytes costOf(const Layout &to) const {
    return reached.at(to.str(mesh)).first;
  }

private:
  void reach(const Layout &layout, Bytes cost) {
    std::string key = layout.str(mesh);
    auto [entry, isNew] = reached.try_emplace(key, cost, layout);
    if (!isNew && entry->second.first <= cost)
      return;
    entry->second.first = cost;
    frontier.push({-cost.count(), key});
  }

  void expand(const Layout &layout, Bytes cost) {
    Bytes input =
        getTensorBytes(getLocalShape(mesh, shape, layout), elementBytes);
    auto reachBy = [&](CollectiveKind kind, llvm::ArrayRef<MeshAxis> axes,
                       const Layout &after) {
      reach(after,
            cost + getCommunicationBytes(kind, mesh.countShards(axes), input));
    };
    unsigned rank = layout.getRank();
    for (MeshAxis axis = 0; axis < mesh.getAxisCount(); ++axis) {
      if (layout.uses(axis))
        continue;
      for (unsigned dim = 0; dim < rank; ++dim) {
        Layout after = layout;
        after.dims[dim].push_back(axis);
        reach(after, cost);
      }
      Layout after = layout;
      after.addPartial(axis, ReductionKind::Sum);
      reach(after, cost);
    }
    for (unsigned dim = 0; dim < rank; ++dim)
      for (size_t keep = 0; keep < layout.dims[dim].size(); ++keep) {
        AxisList suffix(llvm::ArrayRef(layout.dims[dim]).drop_front(keep));
        Layout gathered = layout;
        gathered.dims[dim].pop_back_n(suffix.size());
        reachBy(CollectiveKind::AllGather, suffix, gathered);
        for (unsigned target = 0; target < rank; ++target) {
          if (target == dim)
            continue;
          Layout moved = gathered;
          llvm::append_range(moved.dims[target], suffix);
          reachBy(CollectiveKind::AllToAll, suffix, moved);
        }
      }
    for (unsigned subset = 1; subset < 1u << layout.partial.size(); ++subset) {
      AxisList axes;
      Layout reduced = layout.withoutPartial();
      for (auto [index, axis] : llvm::enumerate(layout.partial)) {
        if (subset >> index & 1)
          axes.push_back(axis);
        else
          reduced.addPartial(axis, ReductionKind::Sum);
      }
      reachBy(CollectiveKind::AllReduce, axes, reduced);
      do
        for (unsigned dim = 0; dim < rank; ++dim) {
          Layout scattered = reduced;
          llvm::append_range(scattered.dims[dim], axes);
          reachBy(CollectiveKind::ReduceScatter, axes, scattered);
        }
      while (std::next_permutation(axes.begin(), axes.end()));
    }
    for (const Layout &other : allLayouts(mesh, rank))
      if (other.partial == layout.partial &&
          getLocalShape(mesh, shape, other) ==
              getLocalShape(mesh, shape, layout))
        reachBy(CollectiveKind::Permute, {}, other);
  }

  const Mesh &mesh;
  llvm::ArrayRef<int64_t> shape;
  int64_t elementBytes;
  std::map<std::string, std::pair<Bytes, Layout>> reached;
  std::priority_queue<std::pair<int64_t, std::string>> frontier;
};

} // namespace shardsmith

#endif // SHARDSMITH_TEST_UNIT_SHARDING_CHEAPESTRESHARD_H
