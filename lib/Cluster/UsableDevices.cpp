// SPDX-License-Identifier: Apache-2.0

#include "UsableDevices.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

namespace shardsmith::cluster {

namespace {

/// What is left of a budget, of money or of power.
class Allowance {
public:
  explicit Allowance(std::optional<double> total)
      : left(total.value_or(std::numeric_limits<double>::infinity())) {}

  /// Of `count` devices that need `each`, as many as it is enough for.
  int64_t take(int64_t count, std::optional<double> each) {
    if (each.value_or(0) <= 0)
      return count;
    // A budget for ten devices is one for ten, however it was rounded.
    double enoughFor = std::floor(left / *each + 1e-9);
    int64_t taken = enoughFor < double(count) ? int64_t(enoughFor) : count;
    left -= double(taken) * *each;
    return taken;
  }

private:
  double left;
};

/// Calls `visit(type, count)` for neighbours of one type, in the order of ids,
/// until it returns false.
void eachRun(const Cluster &cluster,
             const std::function<bool(const DeviceType &, int64_t)> &visit) {
  for (const Group &group : cluster.groups) {
    const std::vector<DeviceSlot> &slots = group.node.devices;
    bool isEven = slots.size() == 1;
    int64_t nodes = isEven ? 1 : group.count * group.node.count;
    for (int64_t node = 0; node < nodes; ++node)
      for (const DeviceSlot &slot : slots)
        if (!visit(cluster.deviceTypes.at(slot.type),
                   isEven ? group.deviceCount() : slot.count))
          return;
  }
}

} // namespace

UsableDevices::UsableDevices(const Cluster &cluster) {
  const Limits &limits = cluster.limits;
  for (const std::string &path : limits.exclude)
    if (std::optional<int64_t> device = cluster.resolve(path))
      excluded.push_back(*device);
  std::sort(excluded.begin(), excluded.end());
  excluded.erase(std::unique(excluded.begin(), excluded.end()), excluded.end());

  if (limits.dollarsPerHour || limits.kilowatts) {
    Allowance money(limits.dollarsPerHour);
    Allowance watts(limits.kilowatts ? std::optional(*limits.kilowatts * 1000)
                                     : std::nullopt);
    int64_t begin = 0, total = 0;
    eachRun(cluster, [&](const DeviceType &type, int64_t devices) {
      int64_t count = rankOf(begin + devices) - rankOf(begin);
      int64_t taken = std::min(money.take(count, type.dollarsPerHour),
                               watts.take(count, type.watts));
      begin += devices;
      total += taken;
      return taken == count;
    });
    limit = total;
  }
  limit = std::min(limit, limits.maxDevices.value_or(limit));
}

} // namespace shardsmith::cluster

namespace shardsmith {

Cluster Cluster::withoutBudgets() const {
  Cluster cluster = *this;
  cluster.limits.dollarsPerHour.reset();
  cluster.limits.kilowatts.reset();
  return cluster;
}

std::string Cluster::limitsProblem() const {
  for (const Group &group : groups)
    for (const DeviceSlot &slot : group.node.devices) {
      const DeviceType &type = deviceTypes.at(slot.type);
      auto lacks = [&](const char *limit, const char *field) {
        return fmt::format("/limits/{} needs {} of every device, but device "
                           "type \"{}\" of cluster \"{}\" has none",
                           limit, field, slot.type, name);
      };
      if (limits.dollarsPerHour && !type.dollarsPerHour)
        return lacks("budget_usd_per_hour", "price_per_hour_usd");
      if (limits.kilowatts && !type.watts)
        return lacks("power_kw", "power_w");
    }
  if (cluster::UsableDevices(*this).rankOf(deviceCount()) > 0)
    return "";
  return fmt::format("/limits of cluster \"{}\" leave no device: the first one "
                     "needs more than budget_usd_per_hour or power_kw",
                     name);
}

} // namespace shardsmith
