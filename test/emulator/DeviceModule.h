// SPDX-License-Identifier: Apache-2.0
//
// A file of IR for devices, as the emulator's tools take it.

#ifndef SHARDSMITH_EMULATOR_DEVICEMODULE_H
#define SHARDSMITH_EMULATOR_DEVICEMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

#include <optional>
#include <string>

namespace shardsmith::emulator {

/// Reads the file, and prints what is wrong with it and, while it lives, with
/// its ops, on standard error.
class DeviceModule {
public:
  /// "-" is standard input.
  explicit DeviceModule(const std::string &path);

  /// Null if the file could not be read.
  mlir::ModuleOp get() const { return module.get(); }

private:
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  std::optional<mlir::SourceMgrDiagnosticHandler> handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Brings functions for devices into the form that `translate` reads.
mlir::LogicalResult prepareDeviceFunctions(mlir::ModuleOp module);

} // namespace shardsmith::emulator

#endif // SHARDSMITH_EMULATOR_DEVICEMODULE_H
