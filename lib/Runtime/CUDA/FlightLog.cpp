// SPDX-License-Identifier: Apache-2.0

#include "FlightLog.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::runtime::cuda {

void FlightLog::add(int stream) {
  if (entries.size() >= forgetAt)
    forget();
  Entry entry{added++, next, -1, false};
  isPut = true;
  if (freeEvents.empty()) {
    entry.event = streams.makeEvent();
  } else {
    entry.event = freeEvents.back();
    freeEvents.pop_back();
  }
  streams.record(stream, entry.event);
  entries.push_back(std::move(entry));
}

void FlightLog::update() {
  for (Entry &entry : entries) {
    if (entry.hasEnded || !streams.hasHappened(entry.event))
      continue;
    entry.hasEnded = true;
    ++ended;
  }
}

void FlightLog::forget() {
  update();
  auto excess = std::ranges::count(entries, true, &Entry::hasEnded) -
                static_cast<int64_t>(remembered);
  std::erase_if(entries, [&](const Entry &entry) {
    if (!entry.hasEnded || excess <= 0)
      return false;
    --excess;
    freeEvents.push_back(entry.event);
    return true;
  });
  forgetAt = std::max(forgetAt, 2 * entries.size());
}

int64_t FlightLog::endedCount() {
  update();
  return ended;
}

std::optional<std::string> FlightLog::unfinished() {
  update();
  auto found = std::ranges::find(entries, false, &Entry::hasEnded);
  return found == entries.end() ? std::nullopt : std::optional(found->name);
}

std::string FlightLog::describe() {
  forget();
  std::string text;
  size_t waiting = 0;
  for (const Entry &entry : entries) {
    if (!entry.hasEnded && waiting++ >= remembered)
      continue;
    text += fmt::format("{:>6}  {:<7}  {}\n", entry.number,
                        entry.hasEnded ? "ended" : "not yet", entry.name);
  }
  if (waiting > remembered)
    text += fmt::format("        and {} more\n", waiting - remembered);
  return text;
}

} // namespace shardsmith::runtime::cuda
