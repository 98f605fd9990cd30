// SPDX-License-Identifier: Apache-2.0
//
// Things that work on one job at a time, at a speed that may change meanwhile:
// a rank's compute stream, its collectives, a link.

#ifndef SHARDSMITH_LIB_SCHEDULE_SERVERS_H
#define SHARDSMITH_LIB_SCHEDULE_SERVERS_H

#include "shardsmith/Schedule/Schedule.h"
#include "shardsmith/Support/Quantity.h"

#include <cmath>
#include <queue>

namespace shardsmith::schedule {

/// Runs jobs on servers and says which ends next. Work is counted in parts of
/// a nanosecond so that slow and full speed are both whole numbers.
class Servers {
public:
  Servers(size_t count, double slowdown)
      : servers(count), full(toParts(slowdown)) {}

  Nanoseconds now() const { return Nanoseconds(time); }
  bool isBusy(size_t server) const { return servers[server].busy; }
  const Step &job(size_t server) const { return servers[server].step; }
  Nanoseconds startOf(size_t server) const {
    return Nanoseconds(servers[server].start);
  }

  void start(size_t server, const Step &step, Nanoseconds duration,
             bool slowed) {
    Server &s = servers[server];
    s.busy = true;
    s.step = step;
    s.start = s.settled = time;
    s.work = duration.count() * full;
    s.slowed = slowed;
    announce(server);
  }

  void setSlowed(size_t server, bool slowed) {
    Server &s = servers[server];
    if (!s.busy || s.slowed == slowed)
      return;
    s.work -= (time - s.settled) * speed(s);
    s.settled = time;
    s.slowed = slowed;
    announce(server);
  }

  /// Moves to the next end of a job and frees its server; nothing when all
  /// servers idle. Ends at the same time come in the order of the servers.
  std::optional<size_t> finishNext() {
    while (!ends.empty()) {
      End end = ends.top();
      ends.pop();
      Server &s = servers[end.server];
      if (!s.busy || s.announced != end.announcement)
        continue;
      time = end.time;
      s.busy = false;
      return end.server;
    }
    return std::nullopt;
  }

private:
  static constexpr int64_t slow = 1000;
  static int64_t toParts(double slowdown) {
    return std::llround(slowdown * static_cast<double>(slow));
  }

  struct Server {
    bool busy = false, slowed = false;
    Step step;
    int64_t start = 0;
    /// `work` parts were left at time `settled`.
    int64_t work = 0, settled = 0;
    int64_t announced = 0;
  };
  struct End {
    int64_t time;
    size_t server;
    int64_t announcement;
    bool operator>(const End &other) const {
      return std::tie(time, server) > std::tie(other.time, other.server);
    }
  };

  int64_t speed(const Server &s) const { return s.slowed ? slow : full; }
  void announce(size_t server) {
    Server &s = servers[server];
    int64_t left = s.work > 0 ? ceilDivide(s.work, speed(s)) : 0;
    ends.push({time + left, server, ++s.announced});
  }

  std::vector<Server> servers;
  int64_t full;
  int64_t time = 0;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
};

} // namespace shardsmith::schedule

#endif // SHARDSMITH_LIB_SCHEDULE_SERVERS_H
