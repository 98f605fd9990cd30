// SPDX-License-Identifier: Apache-2.0
//
// The paths over which the groups of an axis may talk, and a cache of what
// exchanges over them take.

#ifndef SHARDSMITH_COST_COLLECTIVES_PATHCHOICE_H
#define SHARDSMITH_COST_COLLECTIVES_PATHCHOICE_H

#include "shardsmith/Cluster/Topology.h"
#include "shardsmith/Cost/Collectives/CollectiveTimes.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace shardsmith {

/// The paths that an axis may have: one in a real placement, several in a
/// relaxation, in which each exchange takes the path on which it is fastest.
/// Without a path every exchange takes no time. Copies share the paths.
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

/// Times of exchanges that were priced before, shared by the cost models of
/// settings with equal paths. Only one thread at a time may use it.
class ExchangeCache {
public:
  /// The whole time of an exchange and its exposed part are cached apart.
  enum class Part { All, Exposed };
  static constexpr size_t parts = 2;

  /// The time of the exchange: `price()` the first time, and the same value
  /// again for equal arguments.
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

    /// Keeps the paths alive, so that their address, which is the key, stays
    /// theirs.
    PathChoice choice;
    /// The key is the number of bytes.
    std::unordered_map<int64_t, Nanoseconds> times[collectiveOps][parts];
  };
  std::unordered_map<const std::vector<GroupPath> *, Times> byPaths;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_COLLECTIVES_PATHCHOICE_H
