// SPDX-License-Identifier: Apache-2.0
//
// What a user asks the planner: model, cluster, software, how it is trained and
// what is given of the plan. It is written into plan.json, so that the question
// can be asked again.

#ifndef SHARDSMITH_DRIVER_PLANNINGREQUEST_H
#define SHARDSMITH_DRIVER_PLANNINGREQUEST_H

#include "shardsmith/Driver/ModelSource.h"
#include "shardsmith/Plan/Search/Search.h"
#include "shardsmith/PlanFiles/PlanDocument.h"
#include "shardsmith/Train/TrainStep.h"

#include <set>

namespace shardsmith {

struct PlanningRequest {
  ModelOptions model;
  std::string cluster;
  /// Dollars per device and hour, in place of the cluster's: `2.9`, or by type
  /// `h100=2.9,a100-80=1.5`.
  std::string price;
  /// Empty: the one that fits the cluster.
  std::string profile;
  /// Of these a plan depends on the optimizer alone; the others are for its
  /// program.
  TrainOptions train;
  double memoryMargin = 0.10;
  std::string objective = "time";
  std::string fix;
  std::string forbid;
  size_t top = 5;
  /// Seconds; 0: until the search is done.
  double timeLimit = 60;
  /// GiB that planning may take itself; 0: as much as there is.
  double maxMemory = 1;
  unsigned threads = 1;
  /// Names of the options that the user has given.
  std::set<std::string> given;

  /// Saturated without one.
  Bytes memoryLimit() const;
};

/// Of a limit in GiB, saturated for 0.
Bytes memoryOf(double gibibytes);

/// Names of the options that a plan file records, in its order.
std::vector<std::string> recordedOptions();
/// The options in force, as a plan file lists them: those of the program alone
/// where they were given.
std::vector<PlanOption> toOptions(const PlanningRequest &request);
/// Back again. Throws Failure for values that no command line would accept.
PlanningRequest toRequest(const std::vector<PlanOption> &options);

/// Puts what the user has given in `from` in place of what `to` has.
void takeGiven(const PlanningRequest &from, PlanningRequest &to);

/// The first option that the user has given of how a train step is made; empty
/// if there is none.
std::string givenOfTrainStep(const PlanningRequest &request);

/// Throws Failure with exit code 2 if --fix and --forbid contradict each other
/// or make no sense.
SearchConstraints constraintsOf(const PlanningRequest &request);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_PLANNINGREQUEST_H
