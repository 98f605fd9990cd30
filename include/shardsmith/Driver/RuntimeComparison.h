// SPDX-License-Identifier: Apache-2.0
//
// Runtimes side by side: the best plan of each, what it loses against the best
// plan of all, and which feature that it has not costs it most.

#ifndef SHARDSMITH_DRIVER_RUNTIMECOMPARISON_H
#define SHARDSMITH_DRIVER_RUNTIMECOMPARISON_H

#include "shardsmith/Driver/RuntimePlanning.h"

namespace shardsmith {

/// A choice that a runtime lacks, and what it would run if it had it.
struct MissingFeature {
  /// `pipeline`, `zero`, …, as `--fix` calls it; `layouts` for those that the
  /// runtime's files cannot say or that it takes otherwise.
  std::string name;
  /// What the plan chooses, as `--fix` has it; empty for layouts.
  std::string value;
  /// The parts of the runtime's description that are in the way.
  std::string fix, forbid;
  RankedPlan plan;

  /// `pipeline=2`
  std::string text() const { return value.empty() ? name : name + "=" + value; }
};

struct ComparedRuntime {
  std::string name;
  /// Nothing if there is none.
  std::optional<RankedPlan> plan;
  /// Why there is none.
  std::string obstacle;
  /// Nothing if no feature alone helps, or the plan is as fast as the best one.
  std::optional<MissingFeature> missing;
  /// Whether a limit or a signal ended a search for it: another may cost more.
  bool isCutShort = false;
};

struct RuntimeComparison {
  /// Without a runtime.
  RankedPlan best;
  std::vector<ComparedRuntime> runtimes;
  /// Whether a limit or a signal ended some search.
  bool stoppedEarly = false;
};

/// Throws Failure if there is no plan at all.
RuntimeComparison
compareRuntimes(const std::shared_ptr<const PlanningInputs> &inputs,
                const emit::ModelNames &names,
                const std::vector<RuntimeDescription> &runtimes,
                const PlanningRequest &request);

/// One row for each, and a sentence for each that is behind.
std::string describeComparison(const RuntimeComparison &comparison);
/// The same as JSON; docs/emit.md lists the keys.
std::string toJson(const RuntimeComparison &comparison);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_RUNTIMECOMPARISON_H
