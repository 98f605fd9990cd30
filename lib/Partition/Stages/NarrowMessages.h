// SPDX-License-Identifier: Apache-2.0
//
// What stages send each other is as small as it can be. Of a value that is made
// larger between its op and a reader on another rank, the smaller one is sent,
// and the reader makes it larger; of a value of which all readers on a rank
// take slices, the slices are sent.
//
//     stage 0         stage 1                stage 0         stage 1
//     x ─ gather ═══▶ multiply        ──▶    x ───▶ gather ─ multiply
//     y ════════════▶ slice                  y ─ slice ────▶ …
//
// Gathers of this kind come from readers that are split otherwise than makers.

#ifndef SHARDSMITH_LIB_PARTITION_STAGES_NARROWMESSAGES_H
#define SHARDSMITH_LIB_PARTITION_STAGES_NARROWMESSAGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Schedule/Schedule.h"

namespace shardsmith {

/// Rewrites a folded, local step before it is cut into stages. Emits a
/// diagnostic if it cannot be cut.
llvm::LogicalResult narrowMessages(mlir::func::FuncOp step,
                                   const schedule::Schedule &schedule);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_PARTITION_STAGES_NARROWMESSAGES_H
