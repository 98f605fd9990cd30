// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TOOLS_SHARDSMITH_SCHEMAS_H
#define SHARDSMITH_TOOLS_SHARDSMITH_SCHEMAS_H

#include <string_view>

namespace shardsmith {

/// The page docs/NAME-schema.json; `name` is plan, cluster, profile or report.
std::string_view schemaOf(std::string_view name);

} // namespace shardsmith

#endif // SHARDSMITH_TOOLS_SHARDSMITH_SCHEMAS_H
