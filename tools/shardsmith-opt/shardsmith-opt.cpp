// SPDX-License-Identifier: Apache-2.0
// Parses, verifies, runs passes over and prints programs at any stage.

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "shardsmith/InitAll.h"

int main(int argumentCount, char **arguments) {
  mlir::DialectRegistry registry;
  shardsmith::registerAllDialects(registry);
  shardsmith::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argumentCount, arguments, "Shardsmith's pass driver\n", registry));
}
