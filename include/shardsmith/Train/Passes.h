// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TRAIN_PASSES_H
#define SHARDSMITH_TRAIN_PASSES_H

#include "shardsmith/Train/Attention.h"
#include "shardsmith/Train/ExpertRows.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace shardsmith {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "shardsmith/Train/Passes.h.inc"

} // namespace shardsmith

#endif // SHARDSMITH_TRAIN_PASSES_H
