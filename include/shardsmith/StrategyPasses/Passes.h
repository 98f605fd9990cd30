// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_STRATEGYPASSES_PASSES_H
#define SHARDSMITH_STRATEGYPASSES_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/Smith.h"

namespace shardsmith {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "shardsmith/StrategyPasses/Passes.h.inc"

} // namespace shardsmith

#endif // SHARDSMITH_STRATEGYPASSES_PASSES_H
