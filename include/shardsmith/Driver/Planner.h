// SPDX-License-Identifier: Apache-2.0
//
// From loaded inputs to a plan document: the search, what it reports while it
// runs, and what to say when nothing fits.

#ifndef SHARDSMITH_DRIVER_PLANNER_H
#define SHARDSMITH_DRIVER_PLANNER_H

#include "shardsmith/Driver/PlanningInputs.h"

namespace shardsmith {

/// Runs the search; a progress line appears on a terminal, Ctrl-C ends it with
/// the best plan so far, within a fifth of a second wherever it is. Says so on
/// standard error if it did not come to its end. `timeShare`: of the time that
/// the user has given and that is left.
SearchResult runSearch(const std::shared_ptr<const PlanningInputs> &inputs,
                       const SearchConstraints &constraints,
                       const PlanningRequest &request, double timeShare = 1);
/// The same for a receiver, which may get plans of a search that has outlived
/// the command. Of plans that cost the same none is preferred, as they may cost
/// more in the receiver's form. `isQuiet`: whoever calls says that it did not
/// come to its end.
SearchResult runSearch(const std::shared_ptr<const PlanningInputs> &inputs,
                       const SearchConstraints &constraints,
                       const PlanningRequest &request, double timeShare,
                       std::shared_ptr<PlanReceiver> receiver,
                       bool isQuiet = false);

/// `exitCodeAfter` what has ended the search.
ExitCode exitCodeAfterSearch(bool stoppedEarly, const PlanningRequest &request);

/// The best plan with its alternatives; the result must have one.
PlanDocument toDocument(const PlanningInputs &inputs,
                        const PlanningRequest &request,
                        const SearchResult &result);

/// What is short and which change helps, or which constraints contradict each
/// other.
std::string describeInfeasibility(const Infeasibility &infeasibility,
                                  const Cluster &cluster);
/// Ends the command after a search without plans: exit code 124 if it was
/// stopped, 4 where memory is short, 2 for constraints that leave nothing.
[[noreturn]] void failWithoutPlan(const SearchResult &result,
                                  const Cluster &cluster);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_PLANNER_H
