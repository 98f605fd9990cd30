// SPDX-License-Identifier: Apache-2.0
//
// The texts of the profiles in profiles/, which are compiled in.

#ifndef SHARDSMITH_LIB_COST_PROFILES_BUILTINPROFILES_H
#define SHARDSMITH_LIB_COST_PROFILES_BUILTINPROFILES_H

#include <map>
#include <string>
#include <string_view>

namespace shardsmith {

/// The files of profiles/ by name.
const std::map<std::string, std::string_view> &builtinProfileTexts();

} // namespace shardsmith

#endif // SHARDSMITH_LIB_COST_PROFILES_BUILTINPROFILES_H
