// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DRIVER_LAUNCHSCRIPT_H
#define SHARDSMITH_DRIVER_LAUNCHSCRIPT_H

#include <cstdint>
#include <string>

namespace shardsmith {

/// Builds the program of the script's folder and trains with it.
std::string programScript(int64_t ranks);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_LAUNCHSCRIPT_H
