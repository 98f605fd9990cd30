// SPDX-License-Identifier: Apache-2.0

#include "RankGroups.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith::emit::chakra {

size_t RankGroups::add(const std::string &name, const Members &members) {
  auto [place, isNew] = known.try_emplace(name, numbers.size());
  if (!isNew)
    return place->second;
  std::vector<uint32_t> &numberOfRank = numbers.emplace_back(size_t(ranks));
  for (int64_t rank = 0; rank < ranks; ++rank) {
    if (numberOfRank[size_t(rank)] != 0)
      continue;
    std::vector<int64_t> group = members(rank);
    std::ranges::sort(group);
    if (group.size() < 2)
      continue;
    auto [entry, isNewGroup] =
        numberOf.try_emplace(group, uint32_t(groups.size()));
    if (isNewGroup) {
      names.push_back(fmt::format("{}", groups.size()));
      groups.push_back(group);
    }
    for (int64_t member : group)
      numberOfRank[size_t(member)] = entry->second;
  }
  return place->second;
}

std::string RankGroups::json() const {
  std::string text = "{";
  for (size_t number = 1; number < groups.size(); ++number)
    text += fmt::format("{}\n  \"{}\": [{}]", number == 1 ? "" : ",", number,
                        fmt::join(groups[number], ", "));
  return text + "\n}\n";
}

} // namespace shardsmith::emit::chakra
