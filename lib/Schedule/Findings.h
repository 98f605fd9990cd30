// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a replay have found wrong, up to a limit.

#ifndef SHARDSMITH_LIB_SCHEDULE_FINDINGS_H
#define SHARDSMITH_LIB_SCHEDULE_FINDINGS_H

#include "Dependencies.h"
#include "shardsmith/Schedule/Replay.h"

namespace shardsmith::schedule {

class Findings {
public:
  explicit Findings(size_t limit) : limit(limit) {}

  void add(ReplayFinding finding) {
    if (findings.size() < limit)
      findings.push_back(std::move(finding));
  }
  bool empty() const { return findings.empty(); }
  std::vector<ReplayFinding> take() { return std::move(findings); }

private:
  size_t limit;
  std::vector<ReplayFinding> findings;
};

/// Stages and micro-batches exist, and each stage has one rank.
void checkNames(const Schedule &schedule, Findings &findings);
/// Every stage runs every micro-batch forward and backward, once. Names must
/// be right.
void checkCounts(const Schedule &schedule, Findings &findings);

/// Where the lists hold the action for the last time.
std::optional<StepPosition> lastPositionOf(const Schedule &schedule,
                                           const Action &action);

} // namespace shardsmith::schedule

#endif // SHARDSMITH_LIB_SCHEDULE_FINDINGS_H
