// SPDX-License-Identifier: Apache-2.0
//
// LLVM's optimisations as every target runs them on its kernels.

#pragma once

namespace llvm {
class Module;
class OptimizationLevel;
class PipelineTuningOptions;
class TargetMachine;
} // namespace llvm

namespace shardsmith::lower {

/// Runs LLVM's standard pipeline of that level on the module, for the machine's
/// processor, without the passes that are known to change what kernels compute.
void optimizeLlvm(llvm::Module &module, llvm::TargetMachine &machine,
                  llvm::OptimizationLevel level,
                  const llvm::PipelineTuningOptions &tuning);

} // namespace shardsmith::lower
