// SPDX-License-Identifier: Apache-2.0
//
// What ops make of the dimensions and the tensors of a block.

#ifndef SHARDSMITH_LIB_EMIT_BLOCKROLES_H
#define SHARDSMITH_LIB_EMIT_BLOCKROLES_H

#include "shardsmith/Workload/Workload.h"

namespace shardsmith::emit {

/// Whether some op has a factor of that role for the dimension of the tensor.
bool hasRole(const workload::Block &block, workload::TensorIndex tensor,
             unsigned dim, workload::FactorRole role);

/// The same for positions of a sequence.
bool countsPositions(const workload::Block &block, workload::TensorIndex tensor,
                     unsigned dim);

/// The operand of the op that is a trained matrix, if there is one.
std::optional<unsigned> matrixOf(const workload::Block &block,
                                 const workload::Op &op);

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_BLOCKROLES_H
