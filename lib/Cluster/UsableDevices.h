// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CLUSTER_USABLEDEVICES_H
#define SHARDSMITH_LIB_CLUSTER_USABLEDEVICES_H

#include "shardsmith/Cluster/Cluster.h"

#include <algorithm>
#include <limits>

namespace shardsmith::cluster {

/// The devices that plans may use. Their ranks count them in the order of ids.
class UsableDevices {
public:
  /// Of what has no price or power, as many as one likes
  /// (`Cluster::limitsProblem`).
  explicit UsableDevices(const Cluster &cluster);

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
  int64_t limit = std::numeric_limits<int64_t>::max();
};

} // namespace shardsmith::cluster

#endif // SHARDSMITH_LIB_CLUSTER_USABLEDEVICES_H
