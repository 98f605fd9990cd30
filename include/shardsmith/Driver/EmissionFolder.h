// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DRIVER_EMISSIONFOLDER_H
#define SHARDSMITH_DRIVER_EMISSIONFOLDER_H

#include "shardsmith/Emit/Emit.h"

namespace shardsmith {

/// Puts the files of a runtime into a folder, all of them or none; a file that
/// only other plans have is taken away. Throws Failure.
void writeEmission(const std::string &output, const emit::Target &target,
                   const emit::Emission &emission);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_EMISSIONFOLDER_H
