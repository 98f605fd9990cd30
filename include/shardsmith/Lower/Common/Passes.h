// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LOWER_COMMON_PASSES_H
#define SHARDSMITH_LOWER_COMMON_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

namespace shardsmith {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "shardsmith/Lower/Common/Passes.h.inc"

} // namespace shardsmith

#endif // SHARDSMITH_LOWER_COMMON_PASSES_H
