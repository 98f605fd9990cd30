// SPDX-License-Identifier: Apache-2.0
//
// The text of each launcher's file. Words such as @NODES@ are filled in.

#ifndef SHARDSMITH_LIB_EMIT_LAUNCH_TEMPLATES_H
#define SHARDSMITH_LIB_EMIT_LAUNCH_TEMPLATES_H

#include "shardsmith/Emit/Launch.h"

namespace shardsmith::emit {

std::string slurmText(const LaunchRequest &request);
std::string mpirunText(const LaunchRequest &request);
std::string kubernetesText(const LaunchRequest &request);
std::string rayText(const LaunchRequest &request);
std::string sparkText(const LaunchRequest &request);

/// Whether ranks of the program exchange over MPI, and so must be started by a
/// launcher that MPI knows.
bool needsMpi(const LaunchRequest &request);

/// Lines of a shell script: sets the words `checkpoints` to the options of our
/// program for checkpoints in the folder CHECKPOINTS, if that is given.
inline constexpr const char *checkpointLines =
    "checkpoints= resume=\n"
    "if [ -n \"$CHECKPOINTS\" ]; then\n"
    "  checkpoints=--checkpoint-dir=$CHECKPOINTS\n"
    "  if ls \"$CHECKPOINTS\"/step-*.safetensors > /dev/null 2>&1; then\n"
    "    resume=--resume\n"
    "  fi\n"
    "fi\n";
/// Those options.
inline constexpr const char *checkpointOptions =
    "${checkpoints:+\"$checkpoints\"} $resume";

/// A text with the request's numbers in it.
std::string filled(std::string text, const LaunchRequest &request);

/// A word of a shell script that means just this text.
std::string shellQuoted(const std::string &text);

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_LAUNCH_TEMPLATES_H
