// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Device/Dependencies.h"

#include <algorithm>
#include <functional>

namespace shardsmith::runtime::device {

/// No segment shall reach across `position`.
void Dependencies::splitAt(int64_t position) {
  auto after = segments.upper_bound(position);
  if (after == segments.begin())
    return;
  auto found = std::prev(after);
  if (found->first == position || found->second.end <= position)
    return;
  segments.emplace_hint(after, position, found->second);
  found->second.end = position;
}

void Dependencies::follow(Clock &needed, int64_t action) const {
  if (action < 0)
    return;
  int64_t &last = needed[actions[static_cast<size_t>(action)].stream];
  last = std::max(last, action);
}

std::vector<size_t> Dependencies::append(size_t stream, const Clock &needed) {
  std::vector<int64_t> others;
  for (size_t other = 0; other < needed.size(); ++other)
    if (other != stream && needed[other] >= 0)
      others.push_back(needed[other]);
  // The latest cannot follow from an earlier one.
  std::ranges::sort(others, std::greater<>());
  Clock &clock = clocks[stream];
  std::vector<size_t> waits;
  for (int64_t other : others) {
    const Added &action = actions[static_cast<size_t>(other)];
    if (clock[action.stream] >= other)
      continue;
    waits.push_back(static_cast<size_t>(other));
    for (size_t i = 0; i < clock.size(); ++i)
      clock[i] = std::max(clock[i], action.ended[i]);
  }
  clock[stream] = static_cast<int64_t>(actions.size());
  actions.push_back({stream, clock});
  return waits;
}

std::vector<size_t> Dependencies::add(size_t stream,
                                      std::span<const Access> accesses) {
  Clock needed(clocks.size(), -1);
  auto self = static_cast<int64_t>(actions.size());
  follow(needed, lastJoin);
  for (const Access &access : accesses) {
    splitAt(access.begin);
    splitAt(access.end);
    int64_t position = access.begin;
    auto next = segments.lower_bound(access.begin);
    while (position < access.end) {
      bool isKnown = next != segments.end() && next->first == position;
      if (!isKnown) {
        int64_t end = next == segments.end()
                          ? access.end
                          : std::min(access.end, next->first);
        next = segments.emplace_hint(next, position, Segment{end, -1, {}});
      }
      Segment &segment = next->second;
      if (segment.writer != self)
        follow(needed, segment.writer);
      if (access.isWrite) {
        for (int64_t reader : segment.readers)
          if (reader != self)
            follow(needed, reader);
        segment.writer = self;
        segment.readers.clear();
      } else {
        segment.readers.resize(clocks.size(), -1);
        segment.readers[stream] = self;
      }
      position = segment.end;
      ++next;
    }
  }
  return append(stream, needed);
}

std::vector<size_t> Dependencies::addJoin(size_t stream) {
  Clock needed(clocks.size(), -1);
  for (size_t other = 0; other < clocks.size(); ++other)
    needed[other] = clocks[other][other];
  lastJoin = static_cast<int64_t>(actions.size());
  segments.clear(); // all that is added from now on follows this one
  return append(stream, needed);
}

} // namespace shardsmith::runtime::device
