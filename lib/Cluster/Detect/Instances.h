// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CLUSTER_DETECT_INSTANCES_H
#define SHARDSMITH_LIB_CLUSTER_DETECT_INSTANCES_H

#include <string_view>

namespace shardsmith::detect {

/// profiles/clouds/instances.json.
std::string_view instancesText();

} // namespace shardsmith::detect

#endif // SHARDSMITH_LIB_CLUSTER_DETECT_INSTANCES_H
