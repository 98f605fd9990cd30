// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/ResourceWatch.h"

#include "shardsmith/Driver/Interrupt.h"
#include "shardsmith/Driver/PlanningRequest.h"
#include "shardsmith/Driver/UnlessStopped.h"
#include "shardsmith/Support/ExitCode.h"
#include "shardsmith/Support/Gibibytes.h"
#include "shardsmith/Support/TemporaryPath.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace shardsmith {
namespace {

using Clock = std::chrono::steady_clock;

/// Searches that run.
std::atomic<int> searches{0};
std::atomic<bool> memoryShort{false}, planFound{false};
/// Searches of layouts, and whether a signal had come before them.
std::atomic<int> layoutSearches{0};
std::atomic<bool> wasInterrupted{false};
/// Of the watch that lives.
std::atomic<const Clock::time_point *> watchedStart{nullptr};
std::atomic<const Clock::time_point *> watchedDeadline{nullptr};

[[noreturn]] void end(const std::string &message) {
  removeTemporaryPaths();
  fmt::print(stderr, "{}\n", message);
  std::fflush(stderr);
  _exit(static_cast<int>(ExitCode::TimeLimit));
}

} // namespace

Bytes residentMemory() {
  std::array<char, 256> line = {};
  if (std::FILE *file = std::fopen("/proc/self/statm", "re")) {
    if (!std::fgets(line.data(), int(line.size()), file))
      line.front() = '\0';
    std::fclose(file);
  }
  // Pages of the whole program, a space, and pages that are resident.
  std::string_view text = line.data();
  int64_t resident = 0;
  if (size_t space = text.find(' '); space != std::string_view::npos)
    std::from_chars(text.data() + space + 1, text.data() + text.size(),
                    resident);
  return Bytes(resident * int64_t(sysconf(_SC_PAGESIZE)));
}

ResourceWatch::ResourceWatch(std::optional<double> seconds, Bytes memory)
    : start(Clock::now()), memory(memory) {
  memoryShort = planFound = false;
  watchedStart = &start;
  if (seconds) {
    deadline = start + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(*seconds));
    watchedDeadline = &*deadline;
  }
  thread = std::thread([this] { run(); });
}

namespace {

std::optional<double> secondsOf(const PlanningRequest &request) {
  if (request.timeLimit > 0 && request.given.contains("time-limit"))
    return request.timeLimit;
  return std::nullopt;
}

} // namespace

ResourceWatch::ResourceWatch(const PlanningRequest &request)
    : ResourceWatch(secondsOf(request), request.memoryLimit()) {}

ResourceWatch::~ResourceWatch() {
  {
    std::lock_guard lock(mutex);
    done = true;
  }
  wake.notify_one();
  thread.join();
  watchedStart = watchedDeadline = nullptr;
}

void ResourceWatch::run() {
  constexpr std::chrono::milliseconds often(20);
  std::unique_lock lock(mutex);
  while (!wake.wait_for(lock, often, [this] { return done; }))
    look();
}

void ResourceWatch::look() {
  if (!memory.isSaturated() && residentMemory() > memory) {
    memoryShort = true;
    if (searches == 0)
      end(fmt::format("error: more than {:.3g} GiB of memory would be needed; "
                      "--max-memory allows more, 0 as much as there is",
                      gibOf(memory)));
  }
  if (searches > 0 || planFound)
    return;
  bool isLate = deadline && Clock::now() >= *deadline;
  if (layoutSearches > 0 && LayoutSearch::mustStop()) {
    if (!told)
      told = Clock::now();
    isLate = Clock::now() - *told >= stopPatience;
  }
  if (isLate)
    end("error: the search was stopped before it found a plan; --time-limit "
        "gives it longer, 0 as long as it takes");
}

ResourceWatch::Search::Search() { ++searches; }
ResourceWatch::Search::~Search() { --searches; }

const std::atomic<bool> *ResourceWatch::Search::isMemoryShort() const {
  return &memoryShort;
}

ResourceWatch::LayoutSearch::LayoutSearch() {
  wasInterrupted = InterruptFlag::wasSet();
  ++layoutSearches;
}
ResourceWatch::LayoutSearch::~LayoutSearch() { --layoutSearches; }

bool ResourceWatch::LayoutSearch::mustStop() {
  const Clock::time_point *deadline = watchedDeadline;
  return (deadline && Clock::now() >= *deadline) ||
         (InterruptFlag::wasSet() && !wasInterrupted);
}

std::optional<std::chrono::milliseconds> ResourceWatch::timeLeft() {
  const Clock::time_point *deadline = watchedDeadline;
  if (!deadline)
    return std::nullopt;
  return std::max(std::chrono::milliseconds(0),
                  std::chrono::duration_cast<std::chrono::milliseconds>(
                      *deadline - Clock::now()));
}

double ResourceWatch::shareBesideWriting() {
  constexpr double most = 0.25;
  const Clock::time_point *start = watchedStart;
  std::optional<std::chrono::milliseconds> left = timeLeft();
  if (!start || !left)
    return 1;
  std::chrono::duration<double, std::milli> read = Clock::now() - *start;
  return 1 - std::min(most,
                      read / std::max(std::chrono::duration<double, std::milli>(
                                          *left),
                                      decltype(read)(1)));
}

bool ResourceWatch::mustHurry() {
  return InterruptFlag::wasSet() || timeLeft() == std::chrono::milliseconds(0);
}

void ResourceWatch::foundPlan() { planFound = true; }

bool ResourceWatch::wasMemoryShort() { return memoryShort; }

} // namespace shardsmith
