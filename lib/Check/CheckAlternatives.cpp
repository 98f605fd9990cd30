// SPDX-License-Identifier: Apache-2.0

#include "Axes.h"
#include "Compare.h"
#include "Legality.h"
#include "OptionChecks.h"
#include "Rounding.h"

#include <cmath>

namespace shardsmith::check {
namespace {

/// The peaks of all ranks stay below their limits, as far as they are stated.
void checkRoom(const ClaimedAlternative &claimed, Findings &findings) {
  for (int64_t rank = 0; rank < claimed.rankCount; ++rank) {
    std::string where =
        fmt::format("{}/prediction/ranks/{}/", claimed.pointer, rank);
    int64_t peak = 0;
    for (const auto &[item, bytes] : claimed.figures)
      if (item.starts_with(where + "memory_bytes/"))
        peak = added(peak, bytes);
    if (peak > claimed.figures.at(where + "memory_limit_bytes"))
      findings.broken(where + "memory_bytes",
                      "needs more memory than the device may use");
  }
}

void checkPrice(const ClaimedAlternative &claimed,
                const ClusterTopology &topology, Findings &findings) {
  std::optional<double> dollars =
      dollarsPerStep(topology, claimed.strategy, claimed.figure("step_ns"));
  std::string item = claimed.pointer + "/prediction/dollars_per_step";
  if (claimed.dollars.has_value() != dollars.has_value())
    findings.broken(item, "{}",
                    dollars ? "is missing, but all devices have prices"
                            : "is there, but not all devices have prices");
  else if (dollars && std::abs(*dollars - *claimed.dollars) > 1e-9 * *dollars)
    findings.differs(item, *claimed.dollars, *dollars);
}

} // namespace

void checkAlternatives(const CheckInputs &inputs,
                       const ClusterTopology &topology, const Claims &claims,
                       Findings &findings, CheckReport &report) {
  for (const ClaimedAlternative &claimed : claims.alternatives) {
    Findings illegal;
    checkDecisions(inputs, topology, claimed.strategy, illegal);
    bool isLegal = illegal.empty();
    for (Finding &finding : illegal.take()) {
      finding.item = claimed.pointer + finding.item;
      findings.add(std::move(finding));
    }
    if (!isLegal)
      continue;
    checkClaimedSums(claimed.figures, claimed.pointer, findings);
    checkOrigin({claimed.provenance, claimed.uncertainty}, claimed.pointer,
                inputs.profile, findings);
    checkRoom(claimed, findings);
    checkPrice(claimed, topology, findings);
    report.compared += 4;
    if (replicasOf(claimed.strategy) == 1)
      report.notLookedAt.push_back(claimed.pointer + "/strategy/zero");
    else if (claimed.strategy.zeroStage == 0)
      report.notLookedAt.push_back(claimed.pointer + "/strategy/zero/group");
    if (claimed.strategy.tensor > 1) {
      report.notLookedAt.push_back(claimed.pointer + "/strategy");
      report.notLookedAt.push_back(claimed.pointer + "/prediction");
      continue;
    }
    Strategy strategy = claimed.strategy;
    for (const workload::Block &block : inputs.workload.blocks)
      strategy.layouts.push_back(unsplitLayout(block));
    std::string problem;
    if (auto derived = recomputeStep(inputs, topology, strategy,
                                     claims.memoryMargin, problem))
      report.compared +=
          compareFigures(claimed.figures, *derived, claimed.pointer, findings);
    else
      findings.broken(claimed.pointer + "/strategy", "{}", problem);
  }
}

} // namespace shardsmith::check
