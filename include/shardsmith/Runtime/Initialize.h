// SPDX-License-Identifier: Apache-2.0
//
// Values of arguments that no file gives: initial weights and synthetic
// batches.

#ifndef SHARDSMITH_RUNTIME_INITIALIZE_H
#define SHARDSMITH_RUNTIME_INITIALIZE_H

#include "shardsmith/Runtime/Manifest.h"
#include "shardsmith/Runtime/ThreadTeam.h"

namespace shardsmith::runtime {

/// Fills the shard of a param, state or constant by its `init`: `zeros`,
/// `ones`, `constant:V`, `normal:STDDEV`; default `normal:0.02` for params,
/// `zeros` for the others. Depends on seed and name only, not on the shard.
void initialize(const Argument &argument, const Shard &shard, uint64_t seed,
                void *local, const ThreadTeam &team);

/// Throws a Failure if `init` is not one of the above.
void checkInit(const Argument &argument);

/// Fills the shard of a batch argument for a step: integers are uniform below
/// `limit` (0 and 1 where none is given), floats are standard normal.
void synthesize(const Argument &argument, const Shard &shard, uint64_t seed,
                int64_t step, void *local, const ThreadTeam &team);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_INITIALIZE_H
