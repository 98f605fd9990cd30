// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_FAILUREKIND_H
#define SHARDSMITH_LIB_IMPORT_FAILUREKIND_H

#include "mlir/IR/Diagnostics.h"
#include "shardsmith/Support/ExitCode.h"

namespace shardsmith {

/// Listens to the errors of a context while it lives and tells input that is
/// wrong from input that is right but beyond this compiler. The convention:
/// an error of the second kind begins with "unsupported". Errors with which
/// MLIR's parser refuses an unknown op are kept back; `text` is what is being
/// parsed.
class FailureKind {
public:
  explicit FailureKind(mlir::MLIRContext &context, llvm::StringRef text = "");

  struct UnknownOp {
    mlir::Location location;
    std::string name;
  };
  llvm::ArrayRef<UnknownOp> unknownOps() const { return unknown; }

  ExitCode exitCode() const {
    return sawUnsupported ? ExitCode::Unsupported : ExitCode::BadInput;
  }

private:
  bool sawUnsupported = false;
  llvm::SmallVector<UnknownOp> unknown;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_IMPORT_FAILUREKIND_H
