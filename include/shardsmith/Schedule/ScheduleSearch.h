// SPDX-License-Identifier: Apache-2.0
//
// A schedule made for the stages at hand. Families suppose that all stages take
// equally long; where they do not, an order that looks at their times idles
// less:
//
//     stage 1 takes three times as long as stage 0, memory for three passes
//     1f1b    r0  F0F1            B0 F2          B1
//             r1    F0------B0------F1------B1------F2------B2------
//
// The search starts from every family that the pipeline allows and from list
// schedules of several priorities, and improves the best of them step by step.
// It never returns a schedule that takes longer than the best family, and is
// the same for the same question: its effort is counted, not timed.
//
// Sources: active schedules by Giffler and Thompson ("Algorithms for solving
// production-scheduling problems", Operations Research 8, 1960); moves along
// the critical path as in Nowicki and Smutnicki ("A fast taboo search algorithm
// for the job shop problem", Management Science 42, 1996); late acceptance by
// Burke and Bykov ("The late acceptance hill-climbing heuristic", EJOR 258,
// 2017); safe states by Dijkstra (the banker's algorithm, EWD 623).

#ifndef SHARDSMITH_SCHEDULE_SCHEDULESEARCH_H
#define SHARDSMITH_SCHEDULE_SCHEDULESEARCH_H

#include "shardsmith/Schedule/Simulation.h"
#include "shardsmith/Strategy/Strategy.h"

namespace shardsmith::schedule {

/// A pipeline that a schedule is searched for.
struct PipelineProblem {
  std::vector<StageDurations> stages;
  /// Per stage, 0 to `ranks` - 1.
  std::vector<int64_t> rankOfStage;
  int64_t ranks = 1;
  int64_t microBatches = 1;
  /// The most bytes of saved activations that each rank may hold; empty if
  /// there is no limit.
  std::vector<Bytes> memoryLimits;
  SimulationOptions simulation;
};

struct ScheduleSearchOptions {
  /// Whether backward passes may be split into I and W.
  bool splitsBackward = true;
  /// Whether forward and backward passes of different stages of a rank may run
  /// together, so that each hides the other's communication.
  bool pairsPasses = true;
  /// Passes that are played in all: some hundred million take a second.
  int64_t effort = int64_t(1) << 25;
  /// Another seed looks elsewhere.
  uint64_t seed = 1;
};

struct FamilyPeriod {
  ScheduleFamily family;
  Nanoseconds period;
};

struct FoundSchedule {
  /// Compute-only. That of the best family if nothing better was found.
  Schedule schedule;
  /// `Simulation::period` with one reduction and one update per stage.
  Nanoseconds period;
  /// The families whose placement is that of the problem and that fit, the
  /// fastest first.
  std::vector<FamilyPeriod> families;
  /// No schedule is faster: the work of the busiest rank, without the
  /// communication that passes of different stages could hide for each other.
  Nanoseconds lowerBound;
};

/// Fails with a sentence in `error` if the problem makes no sense, or if no
/// schedule fits: where the stages of a rank do not fit for one micro-batch.
std::optional<FoundSchedule>
searchSchedule(const PipelineProblem &problem, std::string &error,
               const ScheduleSearchOptions &options = {});

} // namespace shardsmith::schedule

#endif // SHARDSMITH_SCHEDULE_SCHEDULESEARCH_H
