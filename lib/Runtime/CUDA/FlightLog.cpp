// SPDX-License-Identifier: Apache-2.0

#include "FlightLog.h"

#include <fmt/format.h>

namespace shardsmith::runtime::cuda {

void FlightLog::add(int stream) {
  Entry &entry = at(count++);
  if (entry.event < 0)
    entry.event = streams.makeEvent();
  entry.name = next;
  entry.hasEnded = false;
  streams.record(stream, entry.event);
}

int64_t FlightLog::endedCount() {
  // What is no longer remembered counts as ended.
  int64_t ended = first();
  for (int64_t number = first(); number < count; ++number) {
    Entry &entry = at(number);
    entry.hasEnded = entry.hasEnded || streams.hasHappened(entry.event);
    ended += entry.hasEnded ? 1 : 0;
  }
  return ended;
}

std::optional<std::string> FlightLog::unfinished() {
  endedCount();
  for (int64_t number = first(); number < count; ++number)
    if (!at(number).hasEnded)
      return at(number).name;
  return std::nullopt;
}

std::string FlightLog::describe() {
  endedCount();
  std::string text;
  for (int64_t number = first(); number < count; ++number) {
    const Entry &entry = at(number);
    text += fmt::format("{:>6}  {:<7}  {}\n", number,
                        entry.hasEnded ? "ended" : "not yet", entry.name);
  }
  return text;
}

} // namespace shardsmith::runtime::cuda
