// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_WORKLOAD_PASSES_H
#define SHARDSMITH_WORKLOAD_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace shardsmith {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "shardsmith/Workload/Passes.h.inc"

} // namespace shardsmith

#endif // SHARDSMITH_WORKLOAD_PASSES_H
