// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints: parameters and states with global names and shapes, so a
// program of any plan for the same model can go on from them.

#ifndef SHARDSMITH_RUNTIME_FILES_CHECKPOINT_H
#define SHARDSMITH_RUNTIME_FILES_CHECKPOINT_H

#include "shardsmith/Runtime/Files/SafeTensors.h"

#include <cstdint>
#include <string>

struct smith_context;

namespace shardsmith::runtime {

/// Writes FOLDER/step-00000042.safetensors after 42 completed steps, as
/// writeSafeTensors does.
void writeCheckpoint(smith_context &context, const std::string &folder,
                     int64_t completedSteps, const uint8_t *arena);

/// Removes what a killed run has left of a checkpoint. Only for the run that
/// holds the folder's lock.
void removePartialCheckpoints(const std::string &folder);

/// Writes parameters and states to a file.
void writeState(smith_context &context, const std::string &path,
                const Metadata &metadata, const uint8_t *arena);

/// Loads the newest checkpoint of the folder; returns its completed steps.
/// Throws a Failure if there is none or it is of another model.
int64_t resumeCheckpoint(const smith_context &context,
                         const std::string &folder, uint8_t *arena);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_FILES_CHECKPOINT_H
