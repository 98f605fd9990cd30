// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_CPU_KERNELS_SCATTEREMITTER_H
#define SHARDSMITH_LIB_LOWER_CPU_KERNELS_SCATTEREMITTER_H

#include "KernelEmitter.h"
#include "shardsmith/Lower/Common/Elements/ScatterShape.h"

namespace shardsmith::cpu {

/// A function over units of the update window that combines every update into
/// the result, which already holds the operand. `arguments` are the indices,
/// the updates and the result. Updates to one element are applied in the
/// order of the updates whatever the number of threads.
KernelFunction emitScatter(mlir::OpBuilder &builder,
                           stablehlo::ScatterOp scatter, llvm::StringRef name);

} // namespace shardsmith::cpu

#endif // SHARDSMITH_LIB_LOWER_CPU_KERNELS_SCATTEREMITTER_H
