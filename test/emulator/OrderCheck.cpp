// SPDX-License-Identifier: Apache-2.0

#include "OrderCheck.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::emulator {

void OrderCheck::addStream(const std::string &name) {
  streams.push_back({name, 0, {}});
}

void OrderCheck::merge(Progress &into, const Progress &from) {
  for (auto [stream, number] : from)
    into[stream] = std::max(into[stream], number);
}

void OrderCheck::splitAt(uint64_t position) {
  auto after = segments.upper_bound(position);
  if (after == segments.begin())
    return;
  auto found = std::prev(after);
  if (found->first < position && position < found->second.end) {
    Segment right = found->second;
    found->second.end = position;
    segments.emplace(position, std::move(right));
  }
}

std::string OrderCheck::touch(Segment &segment, uint64_t begin, bool isWrite,
                              const Moment &now) {
  if (!isWrite && !segment.isWritten)
    return fmt::format("'{}' in stream '{}' reads memory that nobody wrote "
                       "({} bytes at {:#x})",
                       now.work, streams[now.stream].name, segment.end - begin,
                       begin);
  const Progress &known = streams[now.stream].known;
  for (size_t i = 0; i < segment.touches.size(); ++i) {
    const Moment &past = segment.touches[i];
    bool wasWrite = i == 0 && segment.isWritten;
    if ((!isWrite && !wasWrite) || past.stream == now.stream)
      continue;
    auto found = known.find(past.stream);
    if (found != known.end() && found->second >= past.number)
      continue;
    return fmt::format(
        "'{}' in stream '{}' {} memory that '{}' in stream '{}' "
        "{}, and no event orders the two",
        now.work, streams[now.stream].name, isWrite ? "writes" : "reads",
        past.work, streams[past.stream].name, wasWrite ? "writes" : "reads");
  }
  if (isWrite) {
    segment.touches = {now};
    segment.isWritten = true;
    return "";
  }
  for (size_t i = 1; i < segment.touches.size(); ++i)
    if (segment.touches[i].stream == now.stream) {
      segment.touches[i] = now;
      return "";
    }
  segment.touches.push_back(now);
  return "";
}

std::string OrderCheck::add(size_t stream, const std::string &work,
                            const std::vector<Touch> &touches) {
  StreamState &state = streams[stream];
  merge(state.known, host);
  Moment now{stream, ++state.count, work};
  state.known[stream] = now.number;
  // Reads first: work may read what it writes.
  for (bool isWrite : {false, true})
    for (const Touch &each : touches) {
      if (each.isWrite != isWrite)
        continue;
      splitAt(each.begin);
      splitAt(each.end);
      uint64_t position = each.begin;
      while (position < each.end) {
        auto next = segments.lower_bound(position);
        if (next == segments.end() || next->first != position) {
          uint64_t end = next == segments.end()
                             ? each.end
                             : std::min(each.end, next->first);
          next = segments.emplace(position, Segment{end, false, {}}).first;
        }
        std::string problem = touch(next->second, position, isWrite, now);
        if (!problem.empty())
          return problem;
        position = next->second.end;
      }
    }
  return "";
}

void OrderCheck::record(size_t stream, size_t event) {
  merge(streams[stream].known, host);
  events[event] = streams[stream].known;
}

void OrderCheck::wait(size_t stream, size_t event) {
  merge(streams[stream].known, events[event]);
}

void OrderCheck::hostWaits(size_t stream) {
  merge(host, streams[stream].known);
}

} // namespace shardsmith::emulator
