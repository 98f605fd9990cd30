// SPDX-License-Identifier: Apache-2.0
//
// When everything in a schedule happens: an event simulation of all ranks,
// their links and their collectives. docs/schedules.md has the rules.

#ifndef SHARDSMITH_SCHEDULE_SIMULATION_H
#define SHARDSMITH_SCHEDULE_SIMULATION_H

#include "shardsmith/Schedule/Schedule.h"
#include "shardsmith/Support/Quantity.h"

#include <map>
#include <variant>

namespace shardsmith::schedule {

/// What one stage takes for one micro-batch, on its own.
struct StageDurations {
  /// Kernels. B takes the sum of I and W.
  Nanoseconds forward, backwardInput, backwardWeight;
  /// Repeating the forward pass, at the start of B or I.
  Nanoseconds recompute;
  /// Communication inside the stage that its kernels do not hide. A forward
  /// and a backward pass that run together hide each other's.
  Nanoseconds forwardCommunication, backwardCommunication;
  /// The stage's message to the stage behind, and to the stage before.
  Nanoseconds sendForward, sendBackward;
  /// Of the stage's parameters and gradients over data ranks, per action.
  Nanoseconds gather, reduce, update;
  /// Memory from the start of F to the end of I, and to the end of W.
  Bytes savedUntilInput, savedUntilWeight;
};

/// Of single passes and updates. A pass that is missing takes no time; B takes
/// its own time and those of I and W.
using PassTimes = std::map<Action, Nanoseconds>;

struct SimulationOptions {
  /// Kernels run slower by this factor while a message or collective of their
  /// rank is under way.
  double overlapSlowdown = 1;
  /// In place of what the stages say of kernels, if not null: every pass takes
  /// its own time, and two that run together take the sum of both.
  const PassTimes *passTimes = nullptr;
};

/// What a track of the timeline shows.
struct ComputeStream {
  auto operator<=>(const ComputeStream &) const = default;
};
struct CollectiveStream {
  auto operator<=>(const CollectiveStream &) const = default;
};
struct SendStream {
  int64_t toRank = 0;
  auto operator<=>(const SendStream &) const = default;
};
using Stream = std::variant<ComputeStream, CollectiveStream, SendStream>;

struct Span {
  int64_t rank = 0;
  Stream stream;
  Step step;
  Nanoseconds start, end;

  bool operator==(const Span &) const = default;
};

struct MemorySample {
  Nanoseconds time;
  Bytes bytes;
};

struct RankTimeline {
  /// Of the compute stream.
  Nanoseconds firstStart, lastEnd, busy;
  /// Most bytes of saved activations at any time, and all changes of them.
  Bytes peakMemory;
  std::vector<MemorySample> memory;
  /// Most passes (micro-batch × stage) that were begun and had not finished
  /// I, or W.
  int64_t peakLiveUntilInput = 0, peakLiveUntilWeight = 0;

  /// Idle between its first and last action.
  Nanoseconds idle() const { return lastEnd - firstStart - busy; }
  Nanoseconds span() const { return lastEnd - firstStart; }
};

struct Simulation {
  /// Sorted by rank, stream and start.
  std::vector<Span> spans;
  std::vector<RankTimeline> ranks;
  Nanoseconds makespan;

  /// Idle time of the rank that idles most while it is in the step. Ranks
  /// start and end the step at different times; the next step fills the rest.
  Nanoseconds bubble() const;
  /// Time from one step to the next where nothing makes ranks wait for each
  /// other in between: that of the rank that is in the step longest.
  Nanoseconds period() const;
};

/// Plays `schedule` (with or without written-out communication), one entry of
/// `stages` per stage. Sends leave as soon as the link is free and never block
/// the sender; a rank blocks where it needs what has not arrived. Fails with
/// what `replay` finds.
std::optional<Simulation> simulate(const Schedule &schedule,
                                   const std::vector<StageDurations> &stages,
                                   std::string &error,
                                   const SimulationOptions &options = {});

} // namespace shardsmith::schedule

#endif // SHARDSMITH_SCHEDULE_SIMULATION_H
