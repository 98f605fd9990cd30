// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_SUPPORT_READFILE_H
#define SHARDSMITH_SUPPORT_READFILE_H

#include <cstddef>
#include <optional>
#include <string>

namespace shardsmith {

/// The largest file that is read whole. Models are a tenth of it; plans,
/// clusters, profiles and workloads a thousandth.
inline constexpr size_t largestFile = size_t(1) << 28;

/// The whole text of the file at `path`. Otherwise nothing, and `error` says
/// why: `cannot read "PATH": No such file or directory`. Endless files and
/// those of more than `largest` bytes are refused.
std::optional<std::string> readFile(const std::string &path, std::string &error,
                                    size_t largest = largestFile);

/// The same for arguments of commands, where "-" is standard input.
std::optional<std::string> readInput(const std::string &path,
                                     std::string &error);

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_READFILE_H
