// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CLUSTER_TYPEREADERS_H
#define SHARDSMITH_LIB_CLUSTER_TYPEREADERS_H

#include "shardsmith/Cluster/JsonObject.h"

namespace shardsmith::cluster {

/// Entries of `device_types` and `link_types`.
DeviceType readDeviceType(JsonObject &object);
LinkType readLinkType(JsonObject &object);

/// Reports names of collectives that are none, at `key`.
void checkCollective(JsonObject &object, const std::string &key,
                     const std::string &name);

} // namespace shardsmith::cluster

#endif // SHARDSMITH_LIB_CLUSTER_TYPEREADERS_H
