// SPDX-License-Identifier: Apache-2.0
//
// What ASTRA-sim reads beside traces: the system, its network and memory; and
// the script that starts it.

#ifndef SHARDSMITH_LIB_EMIT_CHAKRA_SIMULATOR_H
#define SHARDSMITH_LIB_EMIT_CHAKRA_SIMULATOR_H

#include "shardsmith/Emit/Emit.h"

namespace shardsmith::emit::chakra {

/// All but traces and groups.
std::vector<EmittedFile> simulatorFiles(const EmitInput &input,
                                        const DeviceType &device,
                                        const std::vector<PathLevel> &levels);

} // namespace shardsmith::emit::chakra

#endif // SHARDSMITH_LIB_EMIT_CHAKRA_SIMULATOR_H
