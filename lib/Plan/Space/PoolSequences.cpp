// SPDX-License-Identifier: Apache-2.0

#include "PoolSequences.h"

#include "shardsmith/Cost/Paths/AxisPaths.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

namespace shardsmith::search {

namespace {

/// Blocks of ranks per pool.
using Rooms = std::vector<int64_t>;

/// Every way to lay ranks on pools, each of which is used in one go. Ways that
/// leave too little room are not begun, so this takes no longer than to write
/// them down.
class EverySequence {
public:
  EverySequence(const Rooms &rooms, int64_t ranks)
      : rooms(rooms), isUsed(rooms.size()), left(ranks),
        roomLeft(std::accumulate(rooms.begin(), rooms.end(), int64_t(0))) {}

  /// Nothing if there are too many.
  std::optional<PoolSequences> find() {
    if (left > roomLeft)
      return PoolSequences();
    if (!extend())
      return std::nullopt;
    return std::move(sequences);
  }

private:
  bool extend() {
    if (left == 0) {
      sequences.push_back(sequence);
      return sequences.size() <= everySequenceUpTo;
    }
    for (unsigned pool = 0; pool < rooms.size(); ++pool)
      if (!isUsed[pool] && rooms[pool] > 0 && !use(pool))
        return false;
    return true;
  }

  bool use(unsigned pool) {
    isUsed[pool] = true;
    roomLeft -= rooms[pool];
    size_t before = sequence.size();
    int64_t most = std::min(left, rooms[pool]);
    bool areFew = true;
    for (int64_t count = 1; count <= most && areFew; ++count) {
      sequence.push_back(pool);
      --left;
      if (left <= roomLeft)
        areFew = extend();
    }
    sequence.resize(before);
    left += most;
    roomLeft += rooms[pool];
    isUsed[pool] = false;
    return areFew;
  }

  const Rooms &rooms;
  std::vector<bool> isUsed;
  int64_t left, roomLeft;
  std::vector<unsigned> sequence;
  PoolSequences sequences;
};

/// Ranks on neighbouring blocks, in the cluster's order and in reverse.
PoolSequences neighbours(const Rooms &rooms, int64_t ranks) {
  std::vector<unsigned> blocks;
  for (unsigned pool = 0; pool < rooms.size(); ++pool)
    blocks.insert(blocks.end(), size_t(std::min(rooms[pool], ranks)), pool);
  PoolSequences sequences;
  for (auto end = blocks.begin() + ranks; end <= blocks.end(); ++end) {
    std::vector<unsigned> sequence(end - ranks, end);
    if (!sequences.empty() && sequences.back() == sequence)
      continue;
    sequences.push_back(std::move(sequence));
    if (end == blocks.end())
      break;
  }
  for (size_t i = sequences.size(); i-- > 0;)
    if (sequences[i].front() != sequences[i].back())
      sequences.emplace_back(sequences[i].rbegin(), sequences[i].rend());
  return sequences;
}

/// Every way in which pools are full or empty, but for one that takes the rest.
void fillInAnyOrder(const Rooms &rooms, int64_t ranks,
                    std::vector<std::vector<int64_t>> &ways) {
  std::vector<int64_t> chosen;
  std::function<void(int64_t, std::optional<size_t>)> extend =
      [&](int64_t left, std::optional<size_t> last) {
        size_t pool = chosen.size();
        if (pool == rooms.size()) {
          if (last ? left == 0 || left >= rooms[*last] : left > 0)
            return;
          ways.push_back(chosen);
          if (last)
            ways.back()[*last] = left;
          return;
        }
        auto choose = [&](int64_t count, std::optional<size_t> withLast) {
          chosen.push_back(count);
          extend(left - count, withLast);
          chosen.pop_back();
        };
        if (rooms[pool] > 0 && rooms[pool] <= left)
          choose(rooms[pool], last);
        if (!last && rooms[pool] > 1)
          choose(0, pool);
        choose(0, last);
      };
  extend(ranks, std::nullopt);
}

/// From each pool on, those after it or those before it.
void fillNeighbours(const Rooms &rooms, int64_t ranks,
                    std::vector<std::vector<int64_t>> &ways) {
  int64_t pools = int64_t(rooms.size());
  for (int64_t step : {1, -1})
    for (int64_t first = 0; first < pools; ++first) {
      std::vector<int64_t> chosen(rooms.size());
      int64_t left = ranks;
      for (int64_t pool = first; pool >= 0 && pool < pools; pool += step) {
        chosen[size_t(pool)] = std::min(left, rooms[size_t(pool)]);
        left -= chosen[size_t(pool)];
      }
      if (left == 0 && std::ranges::find(ways, chosen) == ways.end())
        ways.push_back(std::move(chosen));
    }
}

} // namespace

PoolSequences poolSequences(const ClusterTopology &topology,
                            const Strategy &outer) {
  size_t pools = topology.pools().size();
  if (pools == 1)
    return {std::vector<unsigned>(size_t(outer.pipeline), 0)};
  AxisPaths paths(topology, outer);
  Rooms rooms;
  for (unsigned pool = 0; pool < pools; ++pool)
    rooms.push_back(paths.blocksOn(pool));
  if (!paths.hasStagePerBlock()) {
    PoolSequences sequences;
    for (unsigned pool = 0; pool < pools; ++pool)
      if (rooms[pool] > 0)
        sequences.emplace_back(size_t(outer.pipeline), pool);
    return sequences;
  }
  if (auto sequences = EverySequence(rooms, outer.pipeline).find())
    return std::move(*sequences);
  return neighbours(rooms, outer.pipeline);
}

std::vector<std::vector<int64_t>>
replicaPlacements(const ClusterTopology &topology, const Strategy &outer) {
  Rooms rooms;
  for (const DevicePool &pool : topology.pools())
    rooms.push_back(pool.count() / (outer.rankCount() / outer.data));
  std::vector<std::vector<int64_t>> ways;
  (rooms.size() <= everyWayUpTo ? fillInAnyOrder
                                : fillNeighbours)(rooms, outer.data, ways);
  std::erase_if(ways, [](const std::vector<int64_t> &ranksOnPools) {
    return std::ranges::count(ranksOnPools, 0) + 2 >
           int64_t(ranksOnPools.size());
  });
  return ways;
}

std::vector<DataShare> evenShares(const std::vector<int64_t> &ranksOnPools,
                                  int64_t microBatches) {
  std::vector<DataShare> shares;
  for (unsigned pool = 0; pool < ranksOnPools.size(); ++pool)
    if (ranksOnPools[pool] > 0)
      shares.push_back({pool, ranksOnPools[pool], microBatches});
  return shares;
}

} // namespace shardsmith::search
