// SPDX-License-Identifier: Apache-2.0
// Parses, verifies, runs passes over and prints programs at any stage.

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "shardsmith/InitAll.h"
#include "shardsmith/Support/StandardStreams.h"
#include "llvm/Support/raw_ostream.h"

int main(int argumentCount, char **arguments) {
  shardsmith::prepareStandardStreams();
  mlir::DialectRegistry registry;
  shardsmith::registerAllDialects(registry);
  shardsmith::registerDeviceDialects(registry);
  shardsmith::registerAllPasses();
  int code = mlir::asMainReturnCode(mlir::MlirOptMain(
      argumentCount, arguments, "Shardsmith's pass driver\n", registry));
  // A message that could not be written is no reason to end otherwise.
  llvm::errs().clear_error();
  return code;
}
