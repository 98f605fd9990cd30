// SPDX-License-Identifier: Apache-2.0
//
// The CUDA side of `compile`: kernels, schedules, and an executable of them.

#ifndef SHARDSMITH_DRIVER_COMPILEKERNELS_H
#define SHARDSMITH_DRIVER_COMPILEKERNELS_H

#include "shardsmith/Driver/CompileTarget.h"
#include "shardsmith/Driver/ProgramPlan.h"
#include "shardsmith/Lower/CUDA/DeviceProgram.h"
#include "shardsmith/Lower/Common/CollectiveSchedule.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace shardsmith {

class BuildFolder;
class Session;

/// The names of the kernels' PTX in a folder, and of the code of the chip.
std::string ptxFile(llvm::StringRef chip);
std::string codeFile(llvm::StringRef chip);

/// Writes what there is of a plan for devices into a folder: the kernels as
/// PTX and as code, a file of each for each chip, and as JSON the order of
/// launches, library calls and exchanges; the executable that carries them;
/// with train step, annotated graph and plan.json. Returns the names of the
/// files that are of devices alone. Throws Stop or Failure.
std::vector<std::string> compileKernels(Session &session, ProgramPlan &planned,
                                        const std::string &output,
                                        const CompileTarget &target);

/// The program of a plan for devices, with its device functions: what ranks
/// launch, call and exchange. `plan` gets what is counted on the program.
/// Throws Stop.
mlir::OwningOpRef<mlir::ModuleOp> lowerForDevices(Session &session,
                                                  mlir::ModuleOp annotated,
                                                  StepPlan &plan,
                                                  const CompileTarget &target);

/// A program for devices without the code of its kernels.
struct DeviceDescription {
  /// With the device functions.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string manifest;
  /// The texts of device-program.json and device-constants.bin.
  lower::DeviceProgramText program;
  /// The text of collectives.json.
  std::string collectives;
};

/// What `compileKernels` writes of a plan's annotated step. Throws Stop or
/// Failure.
DeviceDescription describeForDevices(Session &session, mlir::ModuleOp annotated,
                                     const StepPlan &plan,
                                     const CompileTarget &target);

/// The folder shall have no files of devices but `kept`.
void removeDeviceFiles(BuildFolder &build,
                       llvm::ArrayRef<std::string> kept = {});

/// What the ranks of a plan exchange in one step, in the order of the program
/// that it is lowered to. Throws Stop or Failure.
lower::CollectiveSchedule findCollectiveSchedule(Session &session,
                                                 ProgramPlan &planned,
                                                 const CompileTarget &target);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_COMPILEKERNELS_H
