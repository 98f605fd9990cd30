// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_RUNTIME_CUDA_REDUCTIONFORM_H
#define SHARDSMITH_RUNTIME_CUDA_REDUCTIONFORM_H

#include "shardsmith/Runtime/ElementType.h"

#include <optional>

namespace shardsmith::runtime::cuda {

/// NCCL's numbers of a type and a reduction.
struct ReductionForm {
  int type = 0;
  int reduction = 0;
};

/// Booleans are bytes of 0 or 1: "and" is their least, "or" their largest.
/// Nothing where NCCL has no such reduction: integers of 16 bits, and bits of
/// integers.
std::optional<ReductionForm> findReductionForm(ElementType type,
                                               Reduction reduction);

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_RUNTIME_CUDA_REDUCTIONFORM_H
