// SPDX-License-Identifier: Apache-2.0
//
// Language server for .mlir files with the project's dialects: hover,
// go to definition, diagnostics while typing.

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "shardsmith/InitAll.h"

int main(int argumentCount, char **arguments) {
  mlir::DialectRegistry registry;
  shardsmith::registerAllDialects(registry);
  shardsmith::registerDeviceDialects(registry);
  return mlir::failed(
      mlir::MlirLspServerMain(argumentCount, arguments, registry));
}
