// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_IMPORT_PIPELINE_H
#define SHARDSMITH_IMPORT_PIPELINE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "shardsmith/Support/ExitCode.h"

#include <string>

namespace shardsmith {

/// Counted loops that would become more ops than this stay loops
/// (docs/loops.md).
inline constexpr int64_t mostUnrolledOps = 8192;

/// What a user may say about a model whose file does not say it. The strings
/// list positions: `0-147,150`.
struct ImportOptions {
  std::string params;
  std::string states;
  std::string batch;
  std::string constants;
  /// Position of the loss among the results; -1: find it.
  int64_t loss = -1;
  /// Loops that would become more ops than this stay loops; 0: none does.
  int64_t keepLoopsAbove = mostUnrolledOps;
  /// Inlined ops say which call of `@main` they come from: for models that
  /// have a function for equal layers, and no other functions.
  bool noteCalls = false;
};

/// Adds the passes that turn a parsed file into the forward graph of
/// docs/architecture.md (section 2), or into a train step (section 3) if the
/// file holds one.
void buildImportPipeline(mlir::OpPassManager &passes,
                         const ImportOptions &options = {});

/// Registers the pipeline as `import`.
void registerImportPipeline();

/// Runs the pipeline. On failure diagnostics have been emitted and `exitCode`
/// says whether the input is wrong or something in it is not supported.
llvm::LogicalResult runImportPipeline(mlir::ModuleOp module,
                                      const ImportOptions &options,
                                      ExitCode &exitCode);

/// Reads and imports the model file at `path`; null on failure.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::StringRef path,
                                              mlir::MLIRContext &context,
                                              const ImportOptions &options,
                                              ExitCode &exitCode);

} // namespace shardsmith

#endif // SHARDSMITH_IMPORT_PIPELINE_H
