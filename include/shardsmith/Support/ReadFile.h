// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_SUPPORT_READFILE_H
#define SHARDSMITH_SUPPORT_READFILE_H

#include <optional>
#include <string>

namespace shardsmith {

/// The whole text of the file at `path`. Otherwise nothing, and `error` says
/// why: `cannot read "PATH": No such file or directory`. Endless and absurdly
/// large files are refused.
std::optional<std::string> readFile(const std::string &path,
                                    std::string &error);

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_READFILE_H
