// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_SOLVER_SEARCH_H
#define SHARDSMITH_LIB_VALUELAYOUTS_SOLVER_SEARCH_H

#include "shardsmith/ValueLayouts/Solver/PlanProblem.h"

#include <chrono>

namespace shardsmith::solver {

/// What a search may still use. Effort is counted, so where it is what ends a
/// search, the answer does not depend on the machine; the clock is there for
/// users who are in a hurry.
class Budget {
public:
  Budget(double seconds, int64_t effort, std::function<bool()> mustStop)
      : mustStop(std::move(mustStop)),
        deadline(std::chrono::steady_clock::now() +
                 std::chrono::duration_cast<Clock::duration>(
                     std::chrono::duration<double>(seconds))),
        left(effort) {}

  void spend(int64_t effort) { left -= effort; }
  int64_t getEffortLeft() const { return left; }
  bool isSpent() const {
    return left <= 0 || Clock::now() >= deadline || (mustStop && mustStop());
  }

private:
  using Clock = std::chrono::steady_clock;
  std::function<bool()> mustStop;
  Clock::time_point deadline;
  int64_t left;
};

/// Solves the problem as if it had no memory limit.
PlanSolution searchWithoutMemory(const PlanProblem &problem,
                                 const SolverOptions &options, Budget &budget);

/// Solves the problem under its memory limit, given that the solution
/// without it does not fit.
PlanSolution searchWithMemory(const PlanProblem &problem,
                              const SolverOptions &options, Budget &budget,
                              int64_t lowerBound);

} // namespace shardsmith::solver

#endif // SHARDSMITH_LIB_VALUELAYOUTS_SOLVER_SEARCH_H
