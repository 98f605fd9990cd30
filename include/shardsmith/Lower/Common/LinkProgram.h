// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LOWER_COMMON_LINKPROGRAM_H
#define SHARDSMITH_LOWER_COMMON_LINKPROGRAM_H

#include <string>
#include <vector>

namespace shardsmith {

/// The C++ compiler of this system that programs are linked with: $CXX, c++,
/// g++ or clang++, whichever is found first. Empty if there is none.
std::string findCompiler();

/// What to say where there is no compiler, an Environment error.
extern const char *const noCompiler;

/// Links an object or assembly file with a runtime archive and `libraries`
/// by `findCompiler`. A library is a name ("dnnl") for which the compiler
/// knows the place, or a path; programs then look for it, and for what it
/// needs, in its folder. Returns an empty string or what went wrong, an
/// Environment error.
std::string linkProgram(const std::string &object,
                        const std::string &runtimeArchive,
                        const std::vector<std::string> &libraries,
                        const std::string &output);

} // namespace shardsmith

#endif // SHARDSMITH_LOWER_COMMON_LINKPROGRAM_H
