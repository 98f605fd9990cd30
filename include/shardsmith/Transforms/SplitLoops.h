// SPDX-License-Identifier: Apache-2.0
//
// A counted loop as two, one behind the other (docs/loops.md):
//
//     %h200 = loop 0 of 200       %h60  = loop 0 of 60,  from %h0
//                            ─▶   %h200 = loop 1 of 140, from %h60
//
// so that what is decided about iterations need not be the same for all.

#ifndef SHARDSMITH_TRANSFORMS_SPLITLOOPS_H
#define SHARDSMITH_TRANSFORMS_SPLITLOOPS_H

#include "mlir/IR/Block.h"

namespace shardsmith {

/// Splits loop `loop` of a block, which is in no other loop, behind its first
/// `count` iterations: fewer than it has, and at least one. These keep the
/// loop's number, the others get a new one, which is returned. Ops of the loop
/// must be next to one another (`smith::groupLoops`).
int64_t splitLoop(mlir::Block &block, int64_t loop, int64_t count);

} // namespace shardsmith

#endif // SHARDSMITH_TRANSFORMS_SPLITLOOPS_H
