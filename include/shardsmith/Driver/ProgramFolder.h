// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DRIVER_PROGRAMFOLDER_H
#define SHARDSMITH_DRIVER_PROGRAMFOLDER_H

#include "shardsmith/Driver/ProgramPlan.h"

#include <string>

namespace shardsmith {

class BuildFolder;

/// Writes what a program is made of: train step, annotated graph and plan.json.
/// Where `plan` has left its options in the folder `output`, for this plan or
/// another one, they are this plan's from then on, and so is its script; the
/// description of another cluster goes.
void writeProgramPlan(BuildFolder &build, const std::string &output,
                      const ProgramPlan &planned, mlir::ModuleOp annotated);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_PROGRAMFOLDER_H
