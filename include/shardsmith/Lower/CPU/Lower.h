// SPDX-License-Identifier: Apache-2.0
//
// From a local program to an executable, in three steps:
//
//   lowerToCpu    stablehlo and smith collectives → kernels, calls, buffers
//   emitObject    → object file with smith_step and smith_manifest
//   linkProgram   → executable (Lower/Common/LinkProgram.h)

#ifndef SHARDSMITH_LOWER_CPU_LOWER_H
#define SHARDSMITH_LOWER_CPU_LOWER_H

#include "shardsmith/Lower/CPU/CodeOptions.h"
#include "shardsmith/Lower/Common/LinkProgram.h"
#include "shardsmith/Lower/Common/LowerProgram.h"
#include "shardsmith/Lower/Common/Manifest.h"
#include "shardsmith/Support/ExitCode.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace shardsmith {

/// What an object file is made with, beside the program.
struct CpuProgramOptions : lower::ProgramDescription {
  CodeOptions code;
  /// Where to write the program as LLVM IR, for the curious; empty: nowhere.
  std::string dumpLlvm;
};

/// Lowers `@main` of a local program in place (lowerProgram).
LoweringResult lowerToCpu(mlir::ModuleOp local);

/// Writes the object file of a lowered program. Returns the exit code of the
/// failure (Environment if a file cannot be written); a diagnostic has then
/// been emitted.
ExitCode emitObject(mlir::ModuleOp lowered, const CpuProgramOptions &options,
                    const std::string &path);

} // namespace shardsmith

#endif // SHARDSMITH_LOWER_CPU_LOWER_H
