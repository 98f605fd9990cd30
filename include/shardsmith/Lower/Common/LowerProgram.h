// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LOWER_COMMON_LOWERPROGRAM_H
#define SHARDSMITH_LOWER_COMMON_LOWERPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Support/ExitCode.h"

namespace shardsmith {

/// The layout of a lowered program, or the exit code of the failure
/// (Unsupported for an op that has no lowering); a diagnostic has then been
/// emitted.
struct LoweringResult {
  ExitCode code = ExitCode::Success;
  /// Of the program with the largest arena.
  ProgramLayout layout;
  /// The arenas of the programs of ranks in their order (`rankFunctions`), or
  /// that of the only one.
  std::vector<Bytes> arenas;
};

namespace lower {

/// Lowers `@main` of a local program in place to kernels, library calls and
/// collectives, which have no place in memory yet. Ops that have no lowering
/// are reported, all of them (Unsupported).
ExitCode lowerToKernels(mlir::ModuleOp local, const TargetTraits &target);

/// Lowers `@main` of a local program in place to kernels, library calls and
/// collectives on planned buffers: what the emitters of the target read.
LoweringResult lowerProgram(mlir::ModuleOp local, const TargetTraits &target);

} // namespace lower
} // namespace shardsmith

#endif // SHARDSMITH_LOWER_COMMON_LOWERPROGRAM_H
