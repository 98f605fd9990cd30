// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_TRAIN_ATTENTION_CAUSALPREDICATE_H
#define SHARDSMITH_LIB_TRAIN_ATTENTION_CAUSALPREDICATE_H

#include "mlir/IR/Value.h"

namespace shardsmith {

/// True if the booleans say exactly "the index along `key` is at most the one
/// along `query`", dimensions of their tensor. Follows comparisons of iotas,
/// through offsets, selections of constants and changes of shape.
bool isCausalPredicate(mlir::Value predicate, int64_t query, int64_t key);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_ATTENTION_CAUSALPREDICATE_H
