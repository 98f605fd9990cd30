// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_DRIVER_DEVICEFOLDERCHECK_H
#define SHARDSMITH_LIB_DRIVER_DEVICEFOLDERCHECK_H

#include "shardsmith/Check/PlanCheck.h"
#include "shardsmith/PlanFiles/StepPlan.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardsmith {

class Session;

/// Compares the files of a program for devices, and what its executable carries
/// of them, with what the annotated step is lowered to again. Throws Stop or
/// Failure.
void checkDeviceFiles(Session &session, const std::string &planFile,
                      const StepPlan &plan, mlir::ModuleOp annotated,
                      check::CheckReport &report);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_DRIVER_DEVICEFOLDERCHECK_H
