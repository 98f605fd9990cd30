// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/CPU/Lower.h"

#include "shardsmith/Lower/CPU/Target.h"

namespace shardsmith {

LoweringResult lowerToCpu(mlir::ModuleOp local) {
  return lower::lowerProgram(local, cpuTarget());
}

} // namespace shardsmith
