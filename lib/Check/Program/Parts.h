// SPDX-License-Identifier: Apache-2.0
//
// The parts of the check of a compiled folder. Each adds what it finds, and
// what it did not look at, to the report.

#ifndef SHARDSMITH_LIB_CHECK_PROGRAM_PARTS_H
#define SHARDSMITH_LIB_CHECK_PROGRAM_PARTS_H

#include "ProgramClaims.h"

namespace shardsmith::check {

/// The train step against its hash, the annotated step against the train step
/// and against the plan's mesh, tensors and decisions.
void checkStep(const ProgramClaims &claims, const ProgramInputs &inputs,
               Findings &findings, CheckReport &report);

/// What the executable says of itself.
void checkSchedule(const ProgramClaims &claims, const ProgramInputs &inputs,
                   Findings &findings, CheckReport &report);

void checkManifest(const ProgramClaims &claims, const std::string &executable,
                   Findings &findings, CheckReport &report);

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_PROGRAM_PARTS_H
