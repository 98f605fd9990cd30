// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LOWER_COMMON_LINKPROGRAM_H
#define SHARDSMITH_LOWER_COMMON_LINKPROGRAM_H

#include <string>
#include <vector>

namespace shardsmith {

/// Links an object or assembly file with a runtime archive and `libraries`
/// ("dnnl"), using the system's C++ compiler ($CXX, c++, g++ or clang++,
/// whichever is found first). Returns an empty string or what went wrong, an
/// Environment error.
std::string linkProgram(const std::string &object,
                        const std::string &runtimeArchive,
                        const std::vector<std::string> &libraries,
                        const std::string &output);

} // namespace shardsmith

#endif // SHARDSMITH_LOWER_COMMON_LINKPROGRAM_H
