// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_PLAN_SOLVER_SEARCH_H
#define SHARDSMITH_LIB_PLAN_SOLVER_SEARCH_H

#include "shardsmith/Plan/PlanProblem.h"

#include <chrono>

namespace shardsmith::solver {

using Deadline = std::chrono::steady_clock::time_point;

inline bool hasPassed(Deadline deadline) {
  return std::chrono::steady_clock::now() >= deadline;
}

/// Solves the problem as if it had no memory limit.
PlanSolution searchWithoutMemory(const PlanProblem &problem,
                                 const SolverOptions &options,
                                 Deadline deadline);

/// Solves the problem under its memory limit, given that the solution
/// without it does not fit.
PlanSolution searchWithMemory(const PlanProblem &problem,
                              const SolverOptions &options, Deadline deadline,
                              int64_t lowerBound);

} // namespace shardsmith::solver

#endif // SHARDSMITH_LIB_PLAN_SOLVER_SEARCH_H
