// SPDX-License-Identifier: Apache-2.0
//
// The plans that a search finds, in the form in which a runtime can run them:
// with the layouts that it chooses by itself, and only if its files can say
// them. Their prices are the limit of what the search looks for.

#ifndef SHARDSMITH_LIB_DRIVER_SAYABLEPLANS_H
#define SHARDSMITH_LIB_DRIVER_SAYABLEPLANS_H

#include "shardsmith/Driver/RuntimePlanning.h"
#include "shardsmith/Plan/Search/PlanReceiver.h"

#include <mutex>

namespace shardsmith {

/// A plan that the runtime can run.
struct SayablePlan {
  RankedPlan plan;
  emit::Emission emission;
  /// What the runtime decides otherwise than the search had.
  std::vector<emit::Change> changes;
  /// The part of the runtime's space that it was found in.
  size_t space = 0;
};

/// A search that has outlived the command may go on handing in plans, so it
/// shares the ownership of all that this needs, and calls wait for each other.
class SayablePlans : public PlanReceiver {
public:
  /// Keeps the best `count` plans, of each combination of degrees in a space
  /// one.
  SayablePlans(std::shared_ptr<const PlanningInputs> inputs,
               emit::ModelNames names, const emit::Target &target,
               RuntimeLeniency leniency, size_t count);

  /// Plans that come from now on are found in that part of the space.
  void beginSpace(size_t space);
  /// Whether all plans of this space could be said at the search's own price,
  /// so that the best of them is the best there is.
  bool keptAllPrices() const;
  void take(RankedPlan plan) override;
  int64_t limit() const override;

  /// Best first; of equally fast ones the first that came. `whyNotFirst` is not
  /// set.
  std::vector<SayablePlan> plans() const;
  /// Why a plan is none of these: what the files cannot say of the first one
  /// that they cannot, or else that one needs too much memory in the runtime's
  /// form. Empty if there was no such plan.
  std::string obstacle() const;
  ExitCode obstacleCode() const;

private:
  /// The document's plan in the runtime's form; says what changed.
  std::vector<emit::Change> adapt(PlanDocument &document) const;
  void note(ExitCode code, std::string text);
  /// In the place of a slower one with the same degrees, if there is one.
  void add(SayablePlan plan);
  int64_t limitNow() const;

  const std::shared_ptr<const PlanningInputs> inputs;
  const emit::ModelNames names;
  const emit::Target &target;
  const RuntimeLeniency leniency;
  const size_t count;
  /// Of the inputs alone.
  const PlanDocument empty;

  mutable std::mutex mutex;
  size_t space = 0;
  bool keepsPrices = true;
  /// As they came, each once.
  std::vector<Strategy> seen;
  std::vector<SayablePlan> sorted;
  std::string why;
  ExitCode code = ExitCode::Success;
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_DRIVER_SAYABLEPLANS_H
