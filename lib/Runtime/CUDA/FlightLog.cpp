// SPDX-License-Identifier: Apache-2.0

#include "FlightLog.h"

#include "shardsmith/Runtime/Failure.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <numeric>
#include <ranges>

namespace shardsmith::runtime::cuda {
namespace {

/// More than a stream ever has before the host waits, or else it is not known
/// which of two exchanges with one mark has ended.
constexpr int64_t markCount = 1 << 16;
constexpr int mostStreams = 1 << 12;

} // namespace

void FlightLog::prepare() {
  if (seen)
    return;
  seen = reinterpret_cast<uint32_t *>(
      gpu.allocateOnHost(mostStreams * sizeof *seen));
  std::fill_n(seen, mostStreams, 0);
  std::vector<uint32_t> numbers(static_cast<size_t>(markCount));
  std::iota(numbers.begin(), numbers.end(), 1);
  size_t bytes = numbers.size() * sizeof(uint32_t);
  marks = gpu.allocate(static_cast<int64_t>(bytes));
  gpu.check(gpu.driver().copyToDeviceNow(marks, numbers.data(), bytes),
            "cuMemcpyHtoD");
}

void FlightLog::add(int stream) {
  if (stream >= mostStreams)
    fail(ExitCode::Unsupported, "{} streams, of which {} are possible",
         stream + 1, mostStreams);
  prepare();
  if (entries.size() >= forgetAt)
    forget();
  int64_t place = usedMarks++ % markCount;
  Entry entry{
      .name = next, .stream = stream, .mark = static_cast<uint32_t>(place + 1)};
  isPut = true;
  gpu.check(gpu.driver().copyToHost(&seen[stream],
                                    marks + static_cast<DevicePointer>(place) *
                                                sizeof *seen,
                                    sizeof *seen, streams.stream(stream)),
            "cuMemcpyDtoHAsync");
  if (isInGraph) {
    ofGraph.push_back(std::move(entry));
    return;
  }
  entry.number = added++;
  entries.push_back(std::move(entry));
}

void FlightLog::beginGraph() {
  isInGraph = true;
  ofGraph.clear();
}

void FlightLog::addGraph() {
  for (Entry entry : ofGraph) {
    entry.number = added++;
    entries.push_back(std::move(entry));
  }
}

void FlightLog::endStep() {
  update();
  if (!seen || !std::ranges::all_of(entries, &Entry::hasEnded))
    return;
  std::fill_n(seen, mostStreams, 0);
  usedMarks = 0;
  forget();
}

void FlightLog::update() {
  std::vector<bool> isPast(mostStreams);
  for (Entry &entry : entries | std::views::reverse) {
    if (entry.hasEnded)
      continue;
    auto stream = static_cast<size_t>(entry.stream);
    std::atomic_ref last(seen[stream]);
    if (!isPast[stream] && entry.mark != last.load(std::memory_order_acquire))
      continue;
    isPast[stream] = true;
    entry.hasEnded = true;
    ++ended;
  }
}

void FlightLog::forget() {
  update();
  auto excess = std::ranges::count(entries, true, &Entry::hasEnded) -
                static_cast<int64_t>(remembered);
  std::erase_if(entries, [&](const Entry &entry) {
    return entry.hasEnded && excess-- > 0;
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
