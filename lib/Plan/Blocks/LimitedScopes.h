// SPDX-License-Identifier: Apache-2.0
//
// Whether a sum over a block is within the limits, which its scopes say before
// any number is computed, and how a sum beyond them becomes a bound.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_LIMITEDSCOPES_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_LIMITEDSCOPES_H

#include "BlockVariables.h"

#include "shardsmith/Plan/Blocks/SumLimits.h"

namespace shardsmith::blocks {

/// The number of entries of all tables that eliminating all other variables
/// makes, plus the combinations of values of these variables; saturates.
size_t resultEntries(TableScopes scopes, const std::vector<Variable> &kept);

/// The number of entries that the sum over a block makes (BlockSum.h);
/// saturates.
size_t resultEntries(const workload::Block &block, const BlockShapes &shapes,
                     bool repeatable, ReadingSets sets);

/// Turns a sum that is beyond the limits into a bound within them, by
/// mini-buckets. Returns the variables that are kept: all of `kept`, or none if
/// they have too many values.
std::vector<Variable> limitResults(TableScopes &scopes,
                                   const std::vector<Variable> &kept,
                                   const SumLimits &limits);

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_LIMITEDSCOPES_H
