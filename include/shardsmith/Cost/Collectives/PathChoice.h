// SPDX-License-Identifier: Apache-2.0
//
// Where the groups of an axis may lie, and what exchanges over them take.

#ifndef SHARDSMITH_COST_COLLECTIVES_PATHCHOICE_H
#define SHARDSMITH_COST_COLLECTIVES_PATHCHOICE_H

#include "shardsmith/Cluster/Topology.h"
#include "shardsmith/Cost/Collectives/CollectiveTimes.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace shardsmith {

/// Where the groups of an axis lie. If there are several paths, what is asked
/// for is a bound of all of them: each exchange takes the one on which it is
/// fastest. Nothing goes over no path. Copies share the paths.
class PathChoice {
public:
  PathChoice() = default;
  PathChoice(GroupPath path)
      : PathChoice(std::vector<GroupPath>{std::move(path)}) {}
  explicit PathChoice(std::vector<GroupPath> paths)
      : shared(
            std::make_shared<const std::vector<GroupPath>>(std::move(paths))) {}

  const std::vector<GroupPath> &paths() const {
    static const std::vector<GroupPath> none;
    return shared ? *shared : none;
  }
  bool operator==(const PathChoice &other) const {
    return shared == other.shared || paths() == other.paths();
  }

private:
  std::shared_ptr<const std::vector<GroupPath>> shared;
};

/// What exchanges take at least, for settings that share their paths. Not for
/// use by two threads at once.
class ExchangeCache {
public:
  /// Exposed parts of exchanges are times of their own.
  enum class Part { All, Exposed };
  static constexpr size_t parts = 2;

  /// `price()`, remembered for the same arguments.
  template <typename Price>
  Nanoseconds time(const PathChoice &choice, CollectiveOp op, Part part,
                   Bytes bytes, Price price) {
    auto known = byPaths.try_emplace(&choice.paths(), choice).first;
    auto [entry, isNew] =
        known->second.times[size_t(op)][size_t(part)].try_emplace(
            bytes.count());
    if (isNew)
      entry->second = price();
    return entry->second;
  }

private:
  struct Times {
    explicit Times(const PathChoice &choice) : choice(choice) {}

    /// Keeps its address from becoming that of another one.
    PathChoice choice;
    /// By bytes.
    std::unordered_map<int64_t, Nanoseconds> times[collectiveOps][parts];
  };
  std::unordered_map<const std::vector<GroupPath> *, Times> byPaths;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_COLLECTIVES_PATHCHOICE_H
