// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_SUPPORT_PROGRAMMANIFEST_H
#define SHARDSMITH_SUPPORT_PROGRAMMANIFEST_H

#include <cstdint>
#include <optional>
#include <string>

namespace shardsmith {

/// The most ranks of a program: what they exchange is listed rank by rank.
inline constexpr int64_t mostRanksOfProgram = 1 << 20;

/// The manifest that an emitted program carries (docs/program-manifest.md),
/// read from its file without running it. Otherwise nothing, and `error` says
/// why.
std::optional<std::string> manifestOfProgram(const std::string &path,
                                             std::string &error);

/// The hash of the plan that a program was built for, from its manifest.
std::optional<std::string> planHashOfProgram(const std::string &path,
                                             std::string &error);

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_PROGRAMMANIFEST_H
