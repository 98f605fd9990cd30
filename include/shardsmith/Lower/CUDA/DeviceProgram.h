// SPDX-License-Identifier: Apache-2.0
//
// What a device is to do in one step, as data: the order of launches, library
// calls and exchanges, and the buffers of each.

#ifndef SHARDSMITH_LOWER_CUDA_DEVICEPROGRAM_H
#define SHARDSMITH_LOWER_CUDA_DEVICEPROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Lower/Common/Manifest.h"

#include <string>

namespace shardsmith::lower {

struct DeviceProgramText {
  /// `shardsmith-device-program/4` of docs/device-runtime.md.
  std::string json;
  /// Values of all constants, at the offsets that the JSON text says.
  std::string constants;
};

/// Of `@main` of a program whose kernels were emitted (`emit-cuda-kernels`).
DeviceProgramText describeDeviceProgram(mlir::func::FuncOp main,
                                        const ProgramDescription &description);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_CUDA_DEVICEPROGRAM_H
