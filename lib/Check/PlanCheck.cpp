// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Check/PlanCheck.h"

#include "Claims.h"
#include "Findings.h"
#include "Legality.h"
#include "Rounding.h"
#include "StepFigures.h"
#include "shardsmith/Support/Hash.h"

#include <algorithm>
#include <cmath>

namespace shardsmith::check {
namespace {

/// Both sides add up rounded terms: times may differ by this share of the
/// step, sizes by a few bytes.
constexpr double roundingOfTime = 1e-6;
constexpr double roundingOfBytes = 64;

class PlanCheck {
public:
  PlanCheck(Claims claims, const CheckInputs &inputs)
      : claims(std::move(claims)), inputs(inputs), topology(inputs.cluster) {}

  CheckReport run() {
    CheckReport report;
    report.claimedStep = Nanoseconds(claims.figures["/estimate/step_ns"]);
    checkIdentity();
    bool legal = findings.empty();
    if (legal) {
      checkDecisions(inputs, topology, claims.strategy, findings);
      bindLayouts(inputs.workload, claims, findings);
      legal = findings.empty();
    }
    if (legal && inputs.graph) {
      takeGraphDecisions(inputs, claims.strategy, findings);
      compared += inputs.graph->compared;
      legal = findings.empty();
    }
    if (legal) {
      checkLayouts(inputs.workload, claims.strategy, findings);
      legal = findings.empty();
    }
    if (legal) {
      checkFigures(report);
      checkDollars();
      checkFailures(inputs, topology, claims, findings);
      compared += static_cast<int64_t>(claims.checkpoints.size());
    }
    checkClaimedSums();
    checkProof();
    report.findings = findings.take();
    report.compared = compared;
    return report;
  }

private:
  void same(const std::string &item, const std::string &claimed,
            const std::string &actual) {
    ++compared;
    if (claimed != actual)
      findings.differs(item, claimed, actual);
  }
  void same(const std::string &item, int64_t actual) {
    ++compared;
    int64_t claimed = claims.figures[item];
    if (claimed != actual)
      findings.differs(item, claimed, actual);
  }

  void checkIdentity() {
    const workload::Workload &model = inputs.workload;
    same("/model/hash", claims.modelHash, model.modelHash);
    same("/cluster/hash", claims.clusterHash, inputs.cluster.hash());
    same("/profile/hash", claims.profileHash,
         toDigits(hashText(toJson(inputs.profile))));
    same("/model/dtype", claims.computeType,
         std::string(nameOf(model.computeType)));
    same("/model/parameters", model.parameterCount());
    same("/model/global_batch", model.globalBatch);
    same("/model/sequence_length", model.sequenceLength);
    same("/model/forward_flops_per_sequence", model.forwardFlops().count());
    pools();
  }

  void pools() {
    const std::vector<DevicePool> &actual = topology.pools();
    if (claims.deviceTypes.size() != actual.size()) {
      findings.broken("/cluster/pools",
                      "{} pools of devices, the cluster has {}",
                      claims.deviceTypes.size(), actual.size());
      return;
    }
    for (size_t i = 0; i < actual.size(); ++i) {
      std::string item = fmt::format("/cluster/pools/{}", i);
      same(item + "/type", claims.deviceTypes[i], actual[i].type);
      same(item + "/devices", actual[i].count());
    }
  }

  /// Compares every figure of the estimate with the one derived again.
  void checkFigures(CheckReport &report) {
    same("/estimate/provenance", claims.provenance,
         std::string(toString(inputs.profile.provenance)));
    ++compared;
    if (std::abs(claims.uncertainty - inputs.profile.uncertainty) > 1e-9)
      findings.differs("/estimate/uncertainty", claims.uncertainty,
                       inputs.profile.uncertainty);
    std::string problem;
    std::optional<StepFigures> derived = recomputeStep(
        inputs, topology, claims.strategy, claims.memoryMargin, problem);
    if (!derived) {
      findings.broken("/strategy/layouts", "{}", problem);
      return;
    }
    report.recomputedStep = derived->step;
    report.collectives = derived->collectives;
    for (const auto &[item, value] : derived->figures) {
      ++compared;
      auto claimed = claims.figures.find(item);
      if (claimed == claims.figures.end())
        findings.broken(item, "is missing; it is {}", value);
      else if (std::abs(static_cast<double>(claimed->second) -
                        static_cast<double>(value)) > allowance(item, *derived))
        findings.differs(item, claimed->second, value);
    }
    for (const auto &[item, value] : claims.figures)
      if (item.starts_with("/estimate/") && !derived->figures.count(item))
        findings.broken(item, "has no counterpart in this strategy");
    for (int64_t rank : derived->overfull)
      findings.broken(fmt::format("/estimate/ranks/{}", rank),
                      "needs more memory than the device may use");
    if (costIsStep() && derived->step.count() < claims.bound)
      findings.differs("/search/bound", claims.bound, derived->step.count(),
                       "a plan below the bound: its own step");
  }

  /// Of one step, for the devices that the plan uses; nothing if some kind of
  /// device has no price.
  std::optional<double> dollarsPerStep() const {
    double perHour = 0;
    int64_t ranks = claims.strategy.rankCount();
    for (unsigned pool = 0; pool < topology.pools().size(); ++pool) {
      const DeviceType &device = topology.deviceType(pool);
      if (!device.dollarsPerHour)
        return std::nullopt;
      int64_t used = std::min(ranks, topology.pools()[pool].count());
      perHour += *device.dollarsPerHour * static_cast<double>(used);
      ranks -= used;
    }
    constexpr double nanosecondsPerHour = 3.6e12;
    return perHour *
           static_cast<double>(claims.figures.at("/estimate/step_ns")) /
           nanosecondsPerHour;
  }

  void checkDollars() {
    std::optional<double> dollars = dollarsPerStep();
    ++compared;
    if (claims.dollars.has_value() != dollars.has_value())
      findings.broken("/dollars_per_step", "{}",
                      dollars ? "is missing, but all devices have prices"
                              : "is there, but not all devices have prices");
    else if (dollars && std::abs(*dollars - *claims.dollars) > 1e-9 * *dollars)
      findings.differs("/dollars_per_step", *claims.dollars, *dollars);
    if (claims.objective != "dollars" || !dollars)
      return;
    double billionths = *dollars * 1e9;
    if (std::abs(static_cast<double>(claims.cost) - billionths) >
        1 + 1e-9 * billionths)
      findings.differs("/search/cost", static_cast<double>(claims.cost),
                       billionths, "billionths of a dollar");
  }

  /// Of a front cost and bound are its fastest plan's.
  bool costIsStep() const { return claims.objective != "dollars"; }

  /// The fastest plan first, and each cheaper than those before.
  void checkFront() {
    int64_t step = claims.figures["/estimate/step_ns"];
    std::optional<double> dollars = claims.dollars;
    for (size_t i = 0; i < claims.alternativeSteps.size(); ++i) {
      ++compared;
      std::string item = fmt::format("/alternatives/{}", i);
      std::optional<double> price = claims.alternativeDollars[i];
      if (!price || !dollars)
        findings.broken(item + "/dollars_per_step",
                        "is missing here or before, but this is a front");
      else if (claims.alternativeSteps[i] <= step || *price >= *dollars)
        findings.broken(item,
                        "is on no front: it takes {} ns for {} $, but the plan "
                        "before it {} ns for {} $",
                        claims.alternativeSteps[i], *price, step, *dollars);
      step = claims.alternativeSteps[i];
      dollars = price;
    }
  }

  static double allowance(const std::string &item, const StepFigures &derived) {
    if (item.find("memory") != std::string::npos)
      return roundingOfBytes;
    if (item.ends_with("_ns") || item.find("/time_ns/") != std::string::npos)
      return 1 + roundingOfTime * static_cast<double>(derived.step.count());
    return 0;
  }

  /// The parts of the step add up, whatever they are.
  void checkClaimedSums() {
    int64_t sum = 0;
    for (const auto &[item, value] : claims.figures)
      if (item.starts_with("/estimate/time_ns/"))
        sum = added(sum, value);
    ++compared;
    int64_t step = claims.figures["/estimate/step_ns"];
    if (sum != step)
      findings.differs("/estimate/step_ns", step, sum,
                       "sum of the parts in time_ns");
  }

  void checkProof() {
    int64_t step = claims.figures["/estimate/step_ns"];
    ++compared;
    if (costIsStep() && claims.cost != step)
      findings.differs("/search/cost", claims.cost, step, "the estimated step");
    if (costIsStep())
      for (size_t i = 0; i < claims.alternativeSteps.size(); ++i)
        if (claims.alternativeSteps[i] < claims.bound)
          findings.broken(fmt::format("/alternatives/{}/estimate/step_ns", i),
                          "{} is below the bound of {}",
                          claims.alternativeSteps[i], claims.bound);
    if (claims.objective == "front")
      checkFront();
    if (claims.proof == "none")
      return;
    if (claims.bound > claims.cost)
      findings.broken("/search/bound", "{} is above the cost of {}",
                      claims.bound, claims.cost);
    bool isExact = claims.proof == "exact";
    if (isExact && claims.bound != claims.cost)
      findings.broken("/search/proof",
                      "is exact, but bound and cost differ: {} and {}",
                      claims.bound, claims.cost);
    if (isExact && claims.stopped)
      findings.broken("/search/proof",
                      "is exact, but the search was stopped early");
    if (!isExact && claims.proof != "bounded")
      findings.broken("/search/proof", "'{}' is no kind of proof",
                      claims.proof);
    double gap = 0;
    if (claims.bound > 0 && claims.cost > claims.bound)
      gap = static_cast<double>(claims.cost - claims.bound) /
            static_cast<double>(claims.bound);
    ++compared;
    if (std::abs(gap - claims.gap) > 1e-9)
      findings.differs("/search/gap", claims.gap, gap,
                       "(cost - bound) / bound");
  }

  Claims claims;
  const CheckInputs &inputs;
  ClusterTopology topology;
  Findings findings;
  int64_t compared = 0;
};

} // namespace

std::string Finding::str() const {
  std::string text = item + ": ";
  if (!claimed.empty() || !recomputed.empty())
    text += fmt::format("claimed {}, recomputed {}", claimed, recomputed);
  if (reason.empty())
    return text;
  return text + (claimed.empty() ? reason : fmt::format(" ({})", reason));
}

std::optional<CheckReport> checkPlan(std::string_view planJson,
                                     const CheckInputs &inputs,
                                     std::string &error) {
  try {
    return PlanCheck(readClaims(planJson), inputs).run();
  } catch (const Malformed &malformed) {
    error = malformed.what;
    return std::nullopt;
  }
}

} // namespace shardsmith::check
