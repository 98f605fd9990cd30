// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Collective.h"

#include <algorithm>

#include <fmt/format.h>

namespace shardsmith::runtime {
namespace {

constexpr std::array<std::string_view, collectiveKinds> kindNames{
    "all_reduce", "all_gather", "reduce_scatter",
    "all_to_all", "permute",    "all_to_all_rows"};

/// value * factor / divisor, rounded down, without overflow on the way.
int64_t scale(int64_t value, int64_t factor, int64_t divisor) {
  return static_cast<int64_t>(static_cast<__int128>(value) * factor / divisor);
}

} // namespace

std::string_view name(CollectiveKind kind) {
  return kindNames[static_cast<size_t>(kind)];
}

std::string describe(MessageKind kind, int peer) {
  return fmt::format("{} rank {}",
                     kind == MessageKind::Send ? "send to" : "receive from",
                     peer);
}

int64_t communicationBytes(CollectiveKind kind, int64_t inBytes, int ranks) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return scale(inBytes, 2 * int64_t(ranks - 1), ranks);
  case CollectiveKind::AllGather:
    return inBytes * (ranks - 1);
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllToAll:
  case CollectiveKind::AllToAllRows:
    return scale(inBytes, ranks - 1, ranks);
  case CollectiveKind::Permute:
    break;
  }
  return inBytes;
}

void Traffic::add(int group, CollectiveKind kind, int64_t bytes) {
  TrafficCount &count = counts[group][static_cast<size_t>(kind)];
  ++count.calls;
  count.bytes += bytes;
  total += bytes;
}

void Traffic::addSend(size_t axis, int64_t bytes) {
  ++sends[axis].calls;
  sends[axis].bytes += bytes;
  total += bytes;
}

const TrafficCount &Traffic::of(int group, CollectiveKind kind) const {
  return counts[group][static_cast<size_t>(kind)];
}

std::vector<int64_t> Traffic::numbers() const {
  std::vector<int64_t> all;
  visitCounts(*this, [&](const TrafficCount &count) {
    all.push_back(count.calls);
    all.push_back(count.bytes);
  });
  return all;
}

Traffic Traffic::ofNumbers(const std::vector<int64_t> &numbers) const {
  Traffic other = *this;
  other.total = 0;
  size_t next = 0;
  visitCounts(other, [&](TrafficCount &count) {
    count.calls = numbers[next++];
    count.bytes = numbers[next++];
    other.total += count.bytes;
  });
  return other;
}

void FlightRecorder::begin(Kind kind, int with, int64_t bytes, int64_t step) {
  entries[next++ % capacity] = {kind, with, bytes, step, false};
}

void FlightRecorder::end(uint64_t ended) {
  for (uint64_t i = 1; i <= std::min({ended, next, capacity}); ++i)
    entries[(next - i) % capacity].done = true;
}

std::string FlightRecorder::describe() const {
  std::string text;
  for (uint64_t i = next - std::min(next, capacity); i < next; ++i) {
    const Entry &entry = entries[i % capacity];
    const auto *message = std::get_if<MessageKind>(&entry.kind);
    std::string what =
        message ? runtime::describe(*message, entry.with)
                : fmt::format("{} group {}",
                              name(std::get<CollectiveKind>(entry.kind)),
                              entry.with);
    text += fmt::format("  #{} step {} {} {} bytes {}\n", i, entry.step, what,
                        entry.bytes, entry.done ? "done" : "in progress");
  }
  return text;
}

} // namespace shardsmith::runtime
