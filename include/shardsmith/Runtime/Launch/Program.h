// SPDX-License-Identifier: Apache-2.0
//
// The main function of every emitted program.

#ifndef SHARDSMITH_RUNTIME_LAUNCH_PROGRAM_H
#define SHARDSMITH_RUNTIME_LAUNCH_PROGRAM_H

#include "shardsmith/Runtime/ABI.h"

namespace shardsmith::runtime {

/// Runs the program whose step and manifest are given; returns its exit code.
int runProgram(int argumentCount, char **arguments,
               void (*step)(smith_context *, uint8_t *),
               const char *manifestText);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_LAUNCH_PROGRAM_H
