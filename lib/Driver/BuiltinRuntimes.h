// SPDX-License-Identifier: Apache-2.0
//
// The texts of profiles/runtimes, which are compiled in.

#ifndef SHARDSMITH_LIB_DRIVER_BUILTINRUNTIMES_H
#define SHARDSMITH_LIB_DRIVER_BUILTINRUNTIMES_H

#include <map>
#include <string>
#include <string_view>

namespace shardsmith {

/// The files of profiles/runtimes by name.
const std::map<std::string, std::string_view> &builtinRuntimeTexts();

} // namespace shardsmith

#endif // SHARDSMITH_LIB_DRIVER_BUILTINRUNTIMES_H
