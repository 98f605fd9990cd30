// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Transport/Transport.h"

#include <algorithm>
#include <numeric>

namespace shardsmith::runtime {

GroupTable::GroupTable(const Manifest &manifest, int rank) {
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
