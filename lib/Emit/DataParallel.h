// SPDX-License-Identifier: Apache-2.0
//
// What the runtimes of data ranks alone have in common.

#ifndef SHARDSMITH_LIB_EMIT_DATAPARALLEL_H
#define SHARDSMITH_LIB_EMIT_DATAPARALLEL_H

#include "Decisions.h"

namespace shardsmith::emit {

/// Whole parameters, gradients and states on every rank, equal shares of the
/// batch, and nothing computed twice.
void requireDataRanksAlone(const EmitInput &input, Refusals &refusals);

/// Ranks of one machine.
int64_t localRanks(const EmitInput &input);

/// The last line of a script, which starts a command on every rank.
std::string horovodrunLine(const EmitInput &input);

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_DATAPARALLEL_H
