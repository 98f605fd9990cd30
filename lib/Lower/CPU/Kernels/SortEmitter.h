// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_CPU_KERNELS_SORTEMITTER_H
#define SHARDSMITH_LIB_LOWER_CPU_KERNELS_SORTEMITTER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Runtime/ABI.h"

#include <string>

namespace shardsmith::cpu {

/// Why a sort cannot be lowered; empty if it can.
std::string whyNotSort(stablehlo::SortOp sort);

/// The lines of a sort as the runtime takes them, without the bytes of
/// elements.
smith_sort describeSort(stablehlo::SortOp sort);

/// The comparator as a function `int32_t(const void *const *inputs, int64_t a,
/// int64_t b)`: whether elements a come before elements b.
mlir::LLVM::LLVMFuncOp emitComparator(mlir::OpBuilder &builder,
                                      stablehlo::SortOp sort,
                                      llvm::StringRef name);

} // namespace shardsmith::cpu

#endif // SHARDSMITH_LIB_LOWER_CPU_KERNELS_SORTEMITTER_H
