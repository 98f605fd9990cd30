// SPDX-License-Identifier: Apache-2.0
//
// From a lowered program to the code of its kernels.

#ifndef SHARDSMITH_LOWER_CUDA_DEVICEFUNCTIONS_H
#define SHARDSMITH_LOWER_CUDA_DEVICEFUNCTIONS_H

#include "shardsmith/Support/Quantity.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace shardsmith::lower {

/// The `gpu.module` of the kernels, and the attribute by which an op names its
/// function in it.
inline constexpr llvm::StringLiteral deviceModuleName = "kernels";
inline constexpr llvm::StringLiteral deviceFunctionAttributeName =
    "smith.device_function";
/// On functions of several kernels: how many. Each has as many blocks, and
/// does in them what the first one does in its own.
inline constexpr llvm::StringLiteral membersAttributeName = "smith.members";

/// The chips that code is generated for, oldest first.
struct DeviceChip {
  /// As ptxas names it: `sm_90a`.
  llvm::StringLiteral name;
  /// The version of PTX that first knows it, as LLVM names the feature.
  llvm::StringLiteral ptxFeature;
  /// What one multiprocessor has room for. Source: CUDA C++ Programming Guide,
  /// technical specifications per compute capability.
  int64_t warpsPerProcessor, blocksPerProcessor, registersPerProcessor;
  Bytes sharedPerProcessor;
  /// Whether cuBLASLt multiplies floats of eight bits there: from compute
  /// capability 8.9 on. Source: cuBLAS documentation.
  bool multipliesFloat8;
};
llvm::ArrayRef<DeviceChip> deviceChips();
/// Null if there is none of this name.
const DeviceChip *findDeviceChip(llvm::StringRef name);

/// Lowers device functions to NVVM's dialect in place. On failure a diagnostic
/// has been emitted.
llvm::LogicalResult lowerDeviceFunctions(mlir::gpu::GPUModuleOp kernels);

/// The PTX of device functions; the module stays as it is. The text refers to
/// nothing outside it. On failure a diagnostic has been emitted.
llvm::FailureOr<std::string> compileToPtx(mlir::gpu::GPUModuleOp kernels,
                                          const DeviceChip &chip);

/// Where ptxas is: on PATH, or in /usr/local/cuda/bin; empty: nowhere.
std::string findPtxas();

/// Makes code of a chip from a file of PTX. Returns an empty string, or what
/// ptxas says.
std::string assemblePtx(const std::string &ptxas, const DeviceChip &chip,
                        const std::string &ptxFile,
                        const std::string &codeFile);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_CUDA_DEVICEFUNCTIONS_H
