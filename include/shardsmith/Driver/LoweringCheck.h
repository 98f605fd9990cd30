// SPDX-License-Identifier: Apache-2.0
//
// Whether a program can be built of a train step, whatever its plan will be:
// its program on one device goes through the same passes and is asked the same
// questions as that of a plan.

#ifndef SHARDSMITH_DRIVER_LOWERINGCHECK_H
#define SHARDSMITH_DRIVER_LOWERINGCHECK_H

#include "mlir/IR/BuiltinOps.h"
#include "shardsmith/Lower/Common/Target.h"

namespace shardsmith {

/// To be asked before a search, which would come to the same end. Throws Stop
/// with the code Unsupported where ops of the step have no lowering, after
/// errors that name all of them and a note that says what can be done all the
/// same.
void requireLowering(mlir::ModuleOp trainStep,
                     const lower::TargetTraits &target);

/// Says what can be done with a model of which no program can be built.
void notePlansWithoutProgram();

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_LOWERINGCHECK_H
