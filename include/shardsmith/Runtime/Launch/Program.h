// SPDX-License-Identifier: Apache-2.0
//
// The main function of every emitted program.

#ifndef SHARDSMITH_RUNTIME_LAUNCH_PROGRAM_H
#define SHARDSMITH_RUNTIME_LAUNCH_PROGRAM_H

#include "shardsmith/Runtime/ABI.h"
#include "shardsmith/Runtime/Launch/StepEngine.h"

namespace shardsmith::runtime {

/// Runs the program whose step and manifest are given; returns its exit code.
int runProgram(int argumentCount, char **arguments,
               void (*step)(smith_context *, uint8_t *),
               const char *manifestText);

/// The same for a program whose steps run on GPUs.
int runDeviceProgram(int argumentCount, char **arguments,
                     const EngineFactory &makeEngine,
                     std::string_view manifestText);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_LAUNCH_PROGRAM_H
