// SPDX-License-Identifier: Apache-2.0

#include "CutLists.h"

#include <iterator>
#include <numeric>

namespace shardsmith::search {

namespace {

/// Whether there are at most `most` ways to choose `cuts` of `places`.
bool areFewCuts(int64_t places, int64_t cuts, int64_t most) {
  cuts = std::min(cuts, places - cuts);
  int64_t ways = 1;
  for (int64_t i = 1; i <= cuts; ++i) {
    ways = ways * (places - cuts + i) / i;
    if (ways > most)
      return false;
  }
  return true;
}

std::vector<std::vector<int64_t>> cutsOf(int64_t units, int64_t stages) {
  std::vector<std::vector<int64_t>> all;
  if (stages > units)
    return all;
  std::vector<int64_t> cuts;
  constexpr int64_t few = 2000;
  if (!areFewCuts(units - 1, stages - 1, few)) {
    for (int64_t stage = 1; stage < stages; ++stage)
      cuts.push_back(units * stage / stages);
    return {cuts};
  }
  for (int64_t stage = 1; stage < stages; ++stage)
    cuts.push_back(stage);
  while (true) {
    all.push_back(cuts);
    size_t place = cuts.size();
    while (place > 0 && cuts[place - 1] == units - stages + int64_t(place))
      --place;
    if (place == 0)
      return all;
    ++cuts[place - 1];
    for (; place < cuts.size(); ++place)
      cuts[place] = cuts[place - 1] + 1;
  }
}

} // namespace

CutList CutLists::listFor(const Strategy &outer) const {
  CutList list;
  std::map<Piece, size_t> places;
  int64_t stages = outer.pipeline * outer.virtualStages;
  std::vector<std::vector<int64_t>> cuts;
  if (!areGiven())
    cuts = cutsOf(chain.units(), stages);
  else if (int64_t(stageSizes.size()) == stages)
    std::partial_sum(stageSizes.begin(), stageSizes.end() - 1,
                     std::back_inserter(cuts.emplace_back()));
  for (std::vector<int64_t> &begins : cuts) {
    std::vector<Piece> pieces(size_t(outer.pipeline));
    for (int64_t stage = 0; stage < stages; ++stage) {
      int64_t rank = pipelineRankOf(outer.schedule, outer.pipeline, stage);
      chain.addStage(
          pieces[size_t(rank)], stage == 0 ? 0 : begins[size_t(stage) - 1],
          stage + 1 == stages ? chain.units() : begins[size_t(stage)]);
    }
    CutList::Cut &cut = list.cuts.emplace_back();
    cut.begins = std::move(begins);
    for (Piece &piece : pieces) {
      auto [entry, isNew] = places.try_emplace(piece, list.pieces.size());
      if (isNew)
        list.pieces.push_back(std::move(piece));
      cut.pieces.push_back(entry->second);
    }
  }
  return list;
}

std::optional<size_t> longSegment(const Chain &chain) {
  std::optional<size_t> longest;
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    bool isInside = segment > 0 && segment + 1 < chain.segments();
    if (chain.count(segment) == 1 && !isInside)
      continue;
    if (longest)
      return std::nullopt;
    longest = segment;
  }
  return longest;
}

bool CutLists::areListed(const Strategy &outer) const {
  return areGiven() || (outer.virtualStages > 1 && !longSegment(chain));
}

const CutList &CutLists::of(const Strategy &outer) {
  std::lock_guard lock(mutex);
  auto [entry, isNew] =
      known.try_emplace({outer.schedule, outer.pipeline, outer.virtualStages});
  if (isNew)
    entry->second = listFor(outer);
  return entry->second;
}

} // namespace shardsmith::search
