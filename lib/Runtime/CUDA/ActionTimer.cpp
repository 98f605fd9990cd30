// SPDX-License-Identifier: Apache-2.0

#include "ActionTimer.h"

namespace shardsmith::runtime::cuda {

int ActionTimer::nextEvent() {
  if (usedEvents == events.size())
    events.push_back(streams.makeTimedEvent());
  return events[usedEvents++];
}

void ActionTimer::restart() {
  actions.clear();
  usedEvents = 0;
  if (reference < 0)
    reference = streams.makeTimedEvent();
  // Any stream will do, as all are empty.
  streams.record(0, reference);
}

void ActionTimer::begin(int stream, size_t number, const std::string &name) {
  if (!isOn())
    return;
  actions.push_back({name, stream, number, nextEvent(), -1});
  streams.record(stream, actions.back().begin);
}

void ActionTimer::end(int stream) {
  if (!isOn())
    return;
  actions.back().end = nextEvent();
  streams.record(stream, actions.back().end);
}

std::vector<ActionTime> ActionTimer::times() const {
  std::vector<ActionTime> result;
  for (const Timed &action : actions)
    result.push_back(
        {action.name,
         action.stream,
         {action.number, streams.nanosecondsBetween(reference, action.begin),
          streams.nanosecondsBetween(reference, action.end)}});
  return result;
}

} // namespace shardsmith::runtime::cuda
