// SPDX-License-Identifier: Apache-2.0

#include "Chain.h"

#include "shardsmith/Plan/Blocks/BlockTable.h"

#include <algorithm>

namespace shardsmith::search {

Chain::Chain(const workload::Workload &workload, bool onlyLayersRecompute)
    : starts({0}), blockUnits(workload.blocks.size(), 0) {
  std::vector<BlockFacts> facts = blockFacts(workload);
  for (const workload::Segment &segment : workload.segments) {
    blockUnits[segment.block] += segment.count;
    if (!blocks.empty() && blocks.back() == segment.block) {
      starts.back() += segment.count;
      continue;
    }
    blocks.push_back(segment.block);
    recomputes.push_back(!onlyLayersRecompute ||
                         facts[segment.block].hasAttention);
    starts.push_back(starts.back() + segment.count);
  }
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
