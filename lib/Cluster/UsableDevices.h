// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CLUSTER_USABLEDEVICES_H
#define SHARDSMITH_LIB_CLUSTER_USABLEDEVICES_H

#include "shardsmith/Cluster/Cluster.h"

#include <algorithm>

namespace shardsmith::cluster {

/// The devices that plans may use. Their ranks count them in the order of ids.
class UsableDevices {
public:
  explicit UsableDevices(const Cluster &cluster) {
    for (const std::string &path : cluster.limits.exclude)
      if (std::optional<int64_t> device = cluster.resolve(path))
        excluded.push_back(*device);
    std::sort(excluded.begin(), excluded.end());
    excluded.erase(std::unique(excluded.begin(), excluded.end()),
                   excluded.end());
    limit = cluster.limits.maxDevices.value_or(INT64_MAX);
  }

  /// The rank of the first usable device with this id or a higher one.
  int64_t rankOf(int64_t device) const {
    auto below = std::lower_bound(excluded.begin(), excluded.end(), device);
    return std::min<int64_t>(device - (below - excluded.begin()), limit);
  }
  bool contains(int64_t device) const {
    return !std::binary_search(excluded.begin(), excluded.end(), device) &&
           rankOf(device) < limit;
  }

private:
  std::vector<int64_t> excluded;
  int64_t limit;
};

} // namespace shardsmith::cluster

#endif // SHARDSMITH_LIB_CLUSTER_USABLEDEVICES_H
