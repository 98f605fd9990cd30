// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_WORKLOAD_EXTRACTWORKLOAD_H
#define SHARDSMITH_WORKLOAD_EXTRACTWORKLOAD_H

#include "shardsmith/Dialect/Smith/RepeatedCalls.h"
#include "shardsmith/Support/CodedError.h"
#include "shardsmith/Workload/GraphMap.h"
#include "shardsmith/Workload/Workload.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardsmith {

/// Why a module is no workload, and where; its message begins with the place.
/// The code is `BadInput`, or `Unsupported` for what is right but beyond us.
class ExtractError : public llvm::ErrorInfo<ExtractError, CodedError> {
public:
  static char ID;

  ExtractError(mlir::Location location, const std::string &reason,
               ExitCode code = ExitCode::BadInput);

  mlir::Location getLocation() const { return location; }
  const std::string &getReason() const { return reason; }

private:
  mlir::Location location;
  std::string reason;
};

/// Reads the workload off a loss graph: `@main(parameters…, batch…) -> loss`
/// with roles, as the import pipeline leaves it, or with private functions
/// that `@main` calls once per layer. Does not change the module. All errors
/// are `ExtractError`s. Fills `map` if there is one; it holds for as long as
/// the module's ops are not replaced. A call in `repeated` is read as many.
llvm::Expected<workload::Workload>
extractWorkload(mlir::ModuleOp module, workload::GraphMap *map = nullptr,
                const smith::RepeatedCalls &repeated = {});

} // namespace shardsmith

#endif // SHARDSMITH_WORKLOAD_EXTRACTWORKLOAD_H
