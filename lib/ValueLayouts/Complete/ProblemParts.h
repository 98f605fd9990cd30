// SPDX-License-Identifier: Apache-2.0
//
// What `buildStepProblem` puts together.

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_PROBLEMPARTS_H
#define SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_PROBLEMPARTS_H

#include "StepProblem.h"

namespace shardsmith::plan {

/// The ways to spread an argument or an op that pins and rules leave; their
/// layouts are added to `pool`. None if nothing is left.
std::vector<Strategy> strategiesOf(const ProblemInputs &inputs, unsigned node,
                                   LayoutPool &pool);

/// Arguments stay for the whole step. Results live until their last use;
/// where a hub hands the value out, it is the hub that keeps it. A result
/// of an element-wise op that replaces an argument is written over it.
void addMemory(const ProblemInputs &inputs, StepProblem &target);

/// Numbers the problem's nodes in program order: a hub after the producer,
/// an argument before its first use. The solver's bound follows chains of
/// rising numbers, and these are the chains that values take.
StepProblem inProgramOrder(const StepGraph &graph, StepProblem unsorted);

} // namespace shardsmith::plan

#endif // SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_PROBLEMPARTS_H
