// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Check/PlanCheck.h"

#include "Axes.h"
#include "Claims.h"
#include "Compare.h"
#include "Findings.h"
#include "Legality.h"
#include "OptionChecks.h"
#include "StepFigures.h"
#include "shardsmith/Support/Hash.h"

#include <algorithm>
#include <cmath>

namespace shardsmith::check {
namespace {

/// Of a step, as a share of the same schedule simulated.
constexpr double shortestStep = 0.985;

class PlanCheck {
public:
  PlanCheck(Claims claims, const CheckInputs &inputs)
      : claims(std::move(claims)), inputs(inputs), topology(inputs.cluster) {}

  CheckReport run() {
    CheckReport report;
    report.claimedStep = Nanoseconds(claims.figures["/prediction/step_ns"]);
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
    checkClaimedSums(claims.figures, "", findings);
    ++compared;
    checkProof();
    checkAlternatives(inputs, topology, claims, findings, report);
    checkOptions(claims, findings, report);
    report.findings = findings.take();
    report.compared += compared;
    noteUnread(report);
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
    same("/model/name", claims.modelName, model.modelName);
    same("/cluster/name", claims.clusterName, inputs.cluster.name);
    same("/profile/name", claims.profileName, inputs.profile.name);
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
    checkOrigin({claims.provenance, claims.uncertainty}, "", inputs.profile,
                findings);
    compared += 2;
    std::string problem;
    std::optional<StepFigures> derived = recomputeStep(
        inputs, topology, claims.strategy, claims.memoryMargin, problem);
    if (!derived) {
      findings.broken("/layouts/blocks", "{}", problem);
      return;
    }
    report.recomputedStep = derived->step;
    checkSimulation(*derived);
    report.collectives = derived->collectives;
    compared += compareFigures(claims.figures, *derived, "", findings);
    for (int64_t rank : derived->overfull)
      findings.broken(fmt::format("/prediction/ranks/{}", rank),
                      "needs more memory than the device may use");
    if (costIsStep() && derived->step.count() < claims.bound)
      findings.differs("/search/bound", claims.bound, derived->step.count(),
                       "a plan below the bound: its own step");
  }

  /// No step is shorter than its schedule, played, by more than the rounding of
  /// what prices leave out.
  void checkSimulation(const StepFigures &derived) {
    if (!derived.simulatedStep)
      return;
    ++compared;
    int64_t claimed = claims.figures["/prediction/step_ns"];
    int64_t simulated = derived.simulatedStep->count();
    if (static_cast<double>(claimed) <
        shortestStep * static_cast<double>(simulated))
      findings.differs("/prediction/step_ns", claimed, simulated,
                       "less than its schedule takes when it is played");
  }

  void checkDollars() {
    std::optional<double> dollars = dollarsPerStep(
        topology, claims.strategy, claims.figures.at("/prediction/step_ns"));
    ++compared;
    if (claims.dollars.has_value() != dollars.has_value())
      findings.broken("/prediction/dollars_per_step", "{}",
                      dollars ? "is missing, but all devices have prices"
                              : "is there, but not all devices have prices");
    else if (dollars && std::abs(*dollars - *claims.dollars) > 1e-9 * *dollars)
      findings.differs("/prediction/dollars_per_step", *claims.dollars,
                       *dollars);
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
    int64_t step = claims.figures["/prediction/step_ns"];
    std::optional<double> dollars = claims.dollars;
    for (const ClaimedAlternative &other : claims.alternatives) {
      ++compared;
      const std::string &item = other.pointer;
      std::optional<double> price = other.dollars;
      int64_t otherStep = other.figure("step_ns");
      if (!price || !dollars)
        findings.broken(item + "/prediction/dollars_per_step",
                        "is missing here or before, but this is a front");
      else if (otherStep <= step || *price >= *dollars)
        findings.broken(item,
                        "is on no front: it takes {} ns for {} $, but the plan "
                        "before it {} ns for {} $",
                        otherStep, *price, step, *dollars);
      step = otherStep;
      dollars = price;
    }
  }

  void checkProof() {
    int64_t step = claims.figures["/prediction/step_ns"];
    ++compared;
    if (costIsStep() && claims.cost != step)
      findings.differs("/search/cost", claims.cost, step, "the estimated step");
    if (costIsStep())
      for (const ClaimedAlternative &other : claims.alternatives)
        if (other.figure("step_ns") < claims.bound)
          findings.broken(other.pointer + "/prediction/step_ns",
                          "{} is below the bound of {}",
                          other.figure("step_ns"), claims.bound);
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

  /// What no rule of this file depends on.
  void noteUnread(CheckReport &report) const {
    for (const char *item : {"/tool_version", "/search/counts"})
      report.notLookedAt.push_back(item);
    // Nothing is split among one.
    if (replicasOf(claims.strategy) == 1)
      report.notLookedAt.push_back("/strategy/zero");
    else if (claims.strategy.zeroStage == 0)
      report.notLookedAt.push_back("/strategy/zero/group");
    // More could have been proved, and more said of a proof that was not.
    if (claims.proof != "exact")
      for (const char *item : {"/search/proof", "/search/stopped"})
        report.notLookedAt.push_back(item);
    for (const ClaimedAlternative &other : claims.alternatives)
      report.notLookedAt.push_back(other.pointer + "/reason");
    if (claims.hasProgram)
      for (const char *item : kTrainStepParts)
        report.notLookedAt.push_back(item);
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
