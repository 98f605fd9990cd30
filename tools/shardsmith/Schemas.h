// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TOOLS_SHARDSMITH_SCHEMAS_H
#define SHARDSMITH_TOOLS_SHARDSMITH_SCHEMAS_H

#include <string>
#include <string_view>

namespace shardsmith {

/// docs/cluster-schema.json and docs/report-schema.json.
std::string_view clusterSchema();
std::string_view reportSchema();

/// Made from the table that the reader of profiles goes by.
std::string profileSchema();

} // namespace shardsmith

#endif // SHARDSMITH_TOOLS_SHARDSMITH_SCHEMAS_H
