// SPDX-License-Identifier: Apache-2.0
//
// Ops as text, by which equal ones are found.

#ifndef SHARDSMITH_LOWER_COMMON_KERNELTEXT_H
#define SHARDSMITH_LOWER_COMMON_KERNELTEXT_H

#include "shardsmith/Dialect/Smith/Smith.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace shardsmith::lower {

/// The types of the op, what `details` prints, and the ops of its region, if it
/// has one. Operands have no part in it: the same is computed of other values.
std::string textOf(mlir::Operation *op,
                   llvm::function_ref<void(llvm::raw_ostream &stream)> details);

/// Kernels with equal texts compute the same of their inputs.
std::string textOf(smith::KernelOp kernel);

/// Puts the ops of the body into the order in which its results ask for them.
/// Kernels that compute the same, formed of ops in another order, have one text
/// then.
void sortBody(smith::KernelOp kernel);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_KERNELTEXT_H
