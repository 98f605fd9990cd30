// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_WORKLOAD_EXTRACTWORKLOAD_H
#define SHARDSMITH_WORKLOAD_EXTRACTWORKLOAD_H

#include "shardsmith/Support/ExitCode.h"
#include "shardsmith/Workload/Workload.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace shardsmith {

/// Why a module is no workload, and where.
class ExtractError : public llvm::ErrorInfo<ExtractError> {
public:
  static char ID;

  ExtractError(mlir::Location location, std::string message,
               ExitCode exitCode = ExitCode::BadInput)
      : location(location), message(std::move(message)), exitCode(exitCode) {}

  /// `model.mlir:12:8: message`
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

  mlir::Location location;
  std::string message;
  /// `BadInput`, or `Unsupported` for what is right but beyond us.
  ExitCode exitCode;
};

/// Reads the workload off a loss graph: `@main(parameters…, batch…) -> loss`
/// with roles, as the import pipeline leaves it, or with private functions
/// that `@main` calls once per layer. Does not change the module. All errors
/// are `ExtractError`s.
llvm::Expected<workload::Workload> extractWorkload(mlir::ModuleOp module);

} // namespace shardsmith

#endif // SHARDSMITH_WORKLOAD_EXTRACTWORKLOAD_H
