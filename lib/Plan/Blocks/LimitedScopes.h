// SPDX-License-Identifier: Apache-2.0
//
// Whether a sum over a block is within the limits, found out without a number
// of it; and what to do if not.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_LIMITEDSCOPES_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_LIMITEDSCOPES_H

#include "BlockVariables.h"

#include "shardsmith/Plan/Blocks/SumLimits.h"

namespace shardsmith::blocks {

/// Entries of all tables that eliminating all variables but these makes, and
/// combinations of the values of these; saturates.
size_t resultEntries(TableScopes scopes, const std::vector<Variable> &kept);

/// That of the sum over a block (BlockSum.h).
size_t resultEntries(const workload::Block &block, const BlockShapes &shapes,
                     bool repeatable, ReadingSets sets);

/// Makes of a sum that is beyond the limits one that is a bound within them.
/// Returns the variables that are kept: all of `kept`, or none if they have too
/// many values.
std::vector<Variable> limitResults(TableScopes &scopes,
                                   const std::vector<Variable> &kept,
                                   const SumLimits &limits);

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_LIMITEDSCOPES_H
