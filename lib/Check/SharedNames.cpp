// SPDX-License-Identifier: Apache-2.0

#include "SharedNames.h"

#include "Rounding.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace shardsmith::check {

using namespace workload;

void Elements::add(const Elements &other, int64_t times) {
  dense = added(dense, multiplied(other.dense, times));
  expert = added(expert, multiplied(other.expert, times));
  sharedGradients =
      added(sharedGradients, multiplied(other.sharedGradients, times));
}

bool Elements::operator<(const Elements &other) const {
  return std::tie(dense, expert, sharedGradients) <
         std::tie(other.dense, other.expert, other.sharedGradients);
}

void SharedNames::tie(const Place &a, const Place &b) {
  Place first = groupHead(a), second = groupHead(b);
  if (first != second)
    heads[second] = first;
}

const SharedNames::Place &SharedNames::groupHead(const Place &place) const {
  const Place *head = &place;
  for (auto next = heads.find(*head); next != heads.end();
       next = heads.find(*head))
    head = &next->second;
  return *head;
}

// A run of names is a stretch of numbers behind one prefix. Where stretches
// begin and end, walked in order, the numbers in between have as many uses as
// stretches are open.
SharedNames::SharedNames(const Workload &workload) {
  struct Border {
    int64_t number;
    bool begins;
    Place place;
    int64_t uses;
  };
  std::map<std::tuple<std::string, bool, std::string>, std::vector<Border>>
      borders;
  for (const Segment &segment : workload.segments)
    for (size_t i = 0; i < segment.parameterNames.parameters(); ++i)
      for (const NameRun &run : segment.parameterNames.of(i)) {
        int64_t from = run.first.number.value_or(0);
        int64_t to = added(from, run.countsUp ? run.count : 1);
        Place place{segment.block, i};
        auto &list = borders[{run.first.prefix, run.first.number.has_value(),
                              run.first.suffix}];
        list.push_back({from, true, place, run.countsUp ? 1 : run.count});
        list.push_back({to, false, place, run.countsUp ? 1 : run.count});
      }

  std::map<Place, int64_t> namesOf;
  std::set<Place> reused;
  for (auto &[prefix, list] : borders) {
    std::ranges::sort(list, {}, &Border::number);
    std::multiset<Place> open;
    int64_t uses = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      const Border &border = list[i];
      if (border.begins)
        open.insert(border.place);
      else
        open.erase(open.find(border.place));
      uses += border.begins ? border.uses : -border.uses;
      int64_t length =
          i + 1 < list.size() ? list[i + 1].number - border.number : 0;
      if (length == 0 || open.empty())
        continue;
      namesOf[*open.begin()] = added(namesOf[*open.begin()], length);
      if (uses > 1)
        reused.insert(*open.begin());
      for (const Place &place : open)
        tie(*open.begin(), place);
    }
  }

  std::map<Place, int64_t> namesOfGroup;
  std::set<Place> shared;
  for (const auto &[place, count] : namesOf)
    namesOfGroup[groupHead(place)] =
        added(namesOfGroup[groupHead(place)], count);
  for (const Place &place : reused)
    shared.insert(groupHead(place));
  std::map<Place, std::map<BlockIndex, int64_t>> positions;
  for (BlockIndex block = 0; block < workload.blocks.size(); ++block)
    for (size_t i = 0; i < workload.blocks[block].parameters.size(); ++i)
      if (Place head = groupHead({block, i}); shared.contains(head))
        ++positions[head][block];
  for (const auto &[head, blocks] : positions) {
    int64_t perUnit = INT64_MAX;
    for (const auto &[block, count] : blocks)
      perUnit = std::min(perUnit, count);
    for (const auto &[block, count] : blocks)
      for (size_t i = 0; i < workload.blocks[block].parameters.size(); ++i)
        if (groupHead({block, i}) == head)
          groups[{block, i}] = tensors.size();
    tensors.push_back(ceilDivide(namesOfGroup[head], perUnit));
    int64_t everywhere = 0;
    for (const Segment &segment : workload.segments)
      if (blocks.contains(segment.block))
        everywhere = added(everywhere, segment.count);
    units.push_back(everywhere);
  }
}

std::optional<size_t> SharedNames::groupOf(BlockIndex block,
                                           size_t position) const {
  auto found = groups.find({block, position});
  if (found == groups.end())
    return std::nullopt;
  return found->second;
}

Elements SharedNames::held(size_t group,
                           const std::map<Elements, int64_t> &unitsWith) const {
  return largest(tensors[group], unitsWith);
}

Elements
SharedNames::heldElsewhere(size_t group,
                           const std::map<Elements, int64_t> &unitsWith) const {
  int64_t elsewhere = units[group];
  for (const auto &[elements, here] : unitsWith)
    elsewhere -= here;
  return largest(std::min(tensors[group], elsewhere), unitsWith);
}

Elements SharedNames::largest(int64_t names,
                              const std::map<Elements, int64_t> &unitsWith) {
  auto sumOf = [&](int64_t Elements::*kind) {
    std::multimap<int64_t, int64_t, std::greater<>> bySize;
    for (const auto &[elements, units] : unitsWith)
      bySize.emplace(elements.*kind, units);
    int64_t sum = 0, left = names;
    for (auto [size, units] : bySize) {
      sum = added(sum, multiplied(size, std::min(left, units)));
      left -= std::min(left, units);
    }
    return sum;
  };
  return {sumOf(&Elements::dense), sumOf(&Elements::expert),
          sumOf(&Elements::sharedGradients)};
}

} // namespace shardsmith::check
