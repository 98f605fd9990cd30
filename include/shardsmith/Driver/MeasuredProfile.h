// SPDX-License-Identifier: Apache-2.0
//
// What a program's ranks did and how long it took, from the file that
// `shardsmith run --profile` writes.

#ifndef SHARDSMITH_DRIVER_MEASUREDPROFILE_H
#define SHARDSMITH_DRIVER_MEASUREDPROFILE_H

#include "shardsmith/Schedule/Simulation.h"

#include <string>

namespace shardsmith {

/// All times are medians over the steps of the file; of the ranks with the same
/// stages the slowest counts.
struct MeasuredProfile {
  /// Of the plan that the program was built by.
  std::string planHash;
  int64_t steps = 0;
  /// From the beginning to the end of a step, on the rank that is in it
  /// longest.
  Nanoseconds step;
  /// Whether the program has stages. One without has whole micro-batches for
  /// passes, written as F of stage 0, and none if a step is one micro-batch.
  bool hasStages = false;
  /// By pipeline rank the passes F, I and W in the order in which they ran.
  std::vector<std::vector<schedule::Action>> passes;
  /// By pass. The time of a pass is all that its rank does from the end of the
  /// one before until its result is sent, except that it waits for messages:
  ///
  ///     rank 1  ├─F0─┤send├receive: waits, copies├─F1─┤send├
  ///                       └wait┘└──── time of 1F1 ────────┘
  ///
  /// How long a copy takes without waiting is the least that messages of the
  /// same rank and size took.
  schedule::PassTimes times;
  /// By pipeline rank what it does behind its last pass: the update; without
  /// passes the whole step.
  std::vector<Nanoseconds> updates;
};

/// On failure `error` is a sentence.
std::optional<MeasuredProfile> readProfile(std::string_view text,
                                           std::string &error);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_MEASUREDPROFILE_H
