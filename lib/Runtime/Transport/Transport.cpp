// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Transport/Transport.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace shardsmith::runtime {
namespace {

std::pair<int, int> endsOf(const Channel &channel) {
  return {channel.from, channel.to};
}

} // namespace

ChannelTable::ChannelTable(std::vector<Channel> unordered)
    : channels(std::move(unordered)) {
  std::ranges::sort(channels, {}, endsOf);
}

std::optional<size_t> ChannelTable::find(int from, int to) const {
  std::pair<int, int> ends(from, to);
  auto found = std::ranges::lower_bound(channels, ends, {}, endsOf);
  if (found == channels.end() || endsOf(*found) != ends)
    return std::nullopt;
  return found - channels.begin();
}

GroupTable::GroupTable(const Manifest &manifest, int rank)
    : channels(manifest.channels) {
  std::vector<int> everyone(manifest.ranks);
  std::iota(everyone.begin(), everyone.end(), 0);
  std::vector<RankGroups> all = manifest.groups;
  all.push_back({{}, {everyone}});

  for (const RankGroups &lists : all) {
    for (const std::vector<int> &ranks : lists.ranks) {
      auto self = std::find(ranks.begin(), ranks.end(), rank);
      if (self != ranks.end())
        groups.push_back({static_cast<int>(groups.size()), cells, ranks,
                          static_cast<int>(self - ranks.begin())});
      ++cells;
    }
  }
}

} // namespace shardsmith::runtime
