// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_CPU_PROGRAM_MANIFEST_H
#define SHARDSMITH_LIB_LOWER_CPU_PROGRAM_MANIFEST_H

#include "shardsmith/Lower/CPU/Lower.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardsmith::cpu {

/// The JSON text of docs/program-manifest.md for a function with planned
/// buffers.
std::string makeManifest(mlir::func::FuncOp function,
                         const CpuProgramOptions &options);

} // namespace shardsmith::cpu

#endif // SHARDSMITH_LIB_LOWER_CPU_PROGRAM_MANIFEST_H
