// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_IMPORT_PASSES_H
#define SHARDSMITH_IMPORT_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace shardsmith {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "shardsmith/Import/Passes.h.inc"

} // namespace shardsmith

#endif // SHARDSMITH_IMPORT_PASSES_H
