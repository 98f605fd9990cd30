// SPDX-License-Identifier: Apache-2.0
//
// What the search finds, the checker accepts: its two halves of the project
// share no formula.

#include "SamplePlans.h"
#include "shardsmith/Check/PlanCheck.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Plan/Search.h"

#include <gtest/gtest.h>

using namespace shardsmith;
using namespace shardsmith::check;

namespace {

struct Case {
  const char *name;
  const char *cluster;
  workload::Workload model;
};

std::vector<Case> cases() {
  workload::TransformerSizes small;
  small.layers = 8;
  small.globalBatch = 64;
  workload::TransformerSizes gated = small;
  gated.hidden = 4096;
  gated.heads = 32;
  gated.keyValueHeads = 8;
  gated.feedForward = 14336;
  gated.gated = true;
  workload::TransformerSizes experts = small;
  experts.hidden = 2048;
  return {{"small", "8xh100", workload::transformer(small)},
          {"tied", "4xl40s", workload::transformer(small, true)},
          {"seven devices", "7xh100", workload::transformer(small)},
          {"gated", "2x8xa100-80", workload::transformer(gated)},
          {"experts", "8xh100", mixture(experts, 16)}};
}

TEST(SearchedPlans, AreAccepted) {
  for (const Case &each : cases()) {
    SCOPED_TRACE(each.name);
    ClusterResult found = findCluster(each.cluster);
    ASSERT_TRUE(found.cluster) << found.errorText();
    StackProfile profile;
    ClusterTopology topology(*found.cluster);
    CostContext context{each.model, topology, profile, {0.05}};
    SearchOptions options;
    options.planCount = 8;
    SearchResult result = searchStrategies(context, options);
    ASSERT_FALSE(result.plans.empty());
    PlanSampler writer(each.model, *found.cluster, profile, 0);
    for (size_t i = 0; i < result.plans.size(); ++i) {
      PlanDocument plan;
      plan.estimate = result.plans[i].estimate;
      writer.fill(plan, result.plans[i].strategy);
      plan.search.bound = result.lowerBound;
      bool exact = i == 0 && result.proof == ProofKind::Exact;
      plan.search.proof = exact ? PlanProof::Exact : PlanProof::Bounded;
      std::string error;
      auto report =
          checkPlan(toJson(plan), {each.model, *found.cluster, profile}, error);
      ASSERT_TRUE(report) << error;
      for (const Finding &finding : report->findings)
        ADD_FAILURE() << plan.strategy.str() << ": " << finding.str();
    }
  }
}

} // namespace
