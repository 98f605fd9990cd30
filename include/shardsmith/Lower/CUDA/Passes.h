// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LOWER_CUDA_PASSES_H
#define SHARDSMITH_LOWER_CUDA_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace shardsmith {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "shardsmith/Lower/CUDA/Passes.h.inc"

} // namespace shardsmith

#endif // SHARDSMITH_LOWER_CUDA_PASSES_H
