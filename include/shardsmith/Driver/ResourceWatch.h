// SPDX-License-Identifier: Apache-2.0
//
// Time and memory of a command that plans, from its first file to its last. A
// thread looks at both every few milliseconds, so reading a model and writing a
// plan need not:
//
//   until there is a plan   the process ends: exit code 124, nothing is written
//   while a search runs     the search is told, and ends with its best plan
//   while layouts are       the same, but a search of layouts that does not end
//   searched                within `stopPatience` ends the process
//   afterwards              only memory counts; what was found is written, and
//                           what takes long to write is left out (`mustHurry`)
//
// What a search makes is bounded by counts (SumLimits.h), so that its memory
// stays far below the limit and its plan does not depend on it. The limit is
// for what nobody has counted.

#ifndef SHARDSMITH_DRIVER_RESOURCEWATCH_H
#define SHARDSMITH_DRIVER_RESOURCEWATCH_H

#include "shardsmith/Support/Quantity.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace shardsmith {

struct PlanningRequest;

/// One at a time.
class ResourceWatch {
public:
  /// `seconds`: from now on; none: no limit but that of the search.
  ResourceWatch(std::optional<double> seconds, Bytes memory);
  /// With the request's limits; its time counts if the user has given it.
  explicit ResourceWatch(const PlanningRequest &request);
  ~ResourceWatch();
  ResourceWatch(const ResourceWatch &) = delete;
  ResourceWatch &operator=(const ResourceWatch &) = delete;

  /// While one lives a search runs.
  class Search {
  public:
    Search();
    ~Search();
    Search(const Search &) = delete;
    Search &operator=(const Search &) = delete;

    /// Set once memory is short.
    const std::atomic<bool> *isMemoryShort() const;
  };

  /// While one lives layouts of values are searched for.
  class LayoutSearch {
  public:
    LayoutSearch();
    ~LayoutSearch();
    LayoutSearch(const LayoutSearch &) = delete;
    LayoutSearch &operator=(const LayoutSearch &) = delete;

    /// By the user's time limit, or by a signal since the search began. May
    /// outlive this.
    static bool mustStop();
  };

  /// Of the time that the user has given; nothing without a watch.
  static std::optional<std::chrono::milliseconds> timeLeft();
  /// Of the time that is left, the share for a search whose result takes as
  /// long to be written as the model took to be read: at least three quarters.
  static double shareBesideWriting();
  /// Whether the user's time is up or a signal came: whoever writes now leaves
  /// out what takes long.
  static bool mustHurry();
  /// There is a plan, which is worth waiting for.
  static void foundPlan();
  /// Whether memory was short while a search ran.
  static bool wasMemoryShort();

private:
  void run();
  /// Ends the process, or tells the search, if it must.
  void look();

  std::chrono::steady_clock::time_point start;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Since when a search of layouts has been told to stop.
  std::optional<std::chrono::steady_clock::time_point> told;
  Bytes memory;
  std::mutex mutex;
  std::condition_variable wake;
  bool done = false;
  std::thread thread;
};

/// Of this process, what is in memory now.
Bytes residentMemory();

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_RESOURCEWATCH_H
