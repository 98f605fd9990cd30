// SPDX-License-Identifier: Apache-2.0

#include "Chain.h"

#include "shardsmith/Cost/Step/StageWork.h"
#include "shardsmith/Plan/Blocks/BlockTable.h"

#include <algorithm>

namespace shardsmith::search {

Chain::Chain(const workload::Workload &workload,
             const SearchConstraints &constraints)
    : starts({0}), blockUnits(workload.blocks.size(), 0) {
  std::vector<BlockFacts> facts = blockFacts(workload);
  auto givenTo = [&](int64_t unit, workload::BlockIndex block) {
    std::optional<Recompute> given;
    if (constraints.onlyLayersRecompute && !facts[block].hasAttention)
      given = Recompute::None;
    else if (!constraints.unitRecompute.empty())
      given = constraints.unitRecompute[size_t(unit)];
    return given;
  };
  auto add = [&](workload::BlockIndex block, int64_t count) {
    std::optional<Recompute> given = givenTo(units(), block);
    if (!blocks.empty() && blocks.back() == block &&
        givenChoices.back() == given) {
      starts.back() += count;
      return;
    }
    blocks.push_back(block);
    givenChoices.push_back(given);
    starts.push_back(starts.back() + count);
  };
  for (const workload::Segment &segment : workload.segments) {
    blockUnits[segment.block] += segment.count;
    if (constraints.unitRecompute.empty())
      add(segment.block, segment.count);
    else
      for (int64_t unit = 0; unit < segment.count; ++unit)
        add(segment.block, 1);
  }
}

UnitCosts Chain::inPlans(size_t segment, UnitCosts costs) const {
  std::optional<Recompute> choice = given(segment);
  if (!choice)
    return costs;
  costs.transient = transientOf(costs, *choice);
  costs.recompute.fill(costs.recompute[size_t(*choice)]);
  costs.saved.fill(costs.saved[size_t(*choice)]);
  return costs;
}

size_t Chain::segmentOf(int64_t unit) const {
  auto behind = std::upper_bound(starts.begin(), starts.end(), unit);
  return size_t(behind - starts.begin()) - 1;
}

void Chain::addStage(Piece &piece, int64_t begin, int64_t end) const {
  for (size_t segment = segmentOf(begin); segment < segments(); ++segment) {
    int64_t first = std::max(begin, starts[segment]);
    int64_t last = std::min(end, starts[segment + 1]);
    if (first >= last)
      break;
    auto place = std::ranges::lower_bound(piece.parts, segment, {},
                                          &Piece::Part::segment);
    if (place != piece.parts.end() && place->segment == segment)
      place->count += last - first;
    else
      piece.parts.insert(place, {segment, last - first});
  }
  if (end < units())
    piece.senders.push_back(segmentOf(end - 1));
}

} // namespace shardsmith::search
