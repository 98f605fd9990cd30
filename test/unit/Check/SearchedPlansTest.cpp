// SPDX-License-Identifier: Apache-2.0
//
// What the search finds, the checker accepts: its two halves of the project
// share no formula.

#include "SamplePlans.h"
#include "shardsmith/Check/PlanCheck.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Plan/Search/Search.h"

#include <gtest/gtest.h>

using namespace shardsmith;
using namespace shardsmith::check;

namespace {

struct Case {
  std::string name;
  /// Built-in clusters; two are joined by a slow link.
  std::vector<std::string> clusters;
  workload::Workload model;
  /// As in `--fix`.
  std::string fixed = {};
};

Cluster join(const std::vector<std::string> &names) {
  Cluster joined;
  for (const std::string &name : names) {
    ClusterResult found = findCluster(name);
    EXPECT_TRUE(found.cluster) << found.errorText();
    if (joined.groups.empty()) {
      joined = *found.cluster;
      continue;
    }
    joined.deviceTypes.merge(found.cluster->deviceTypes);
    joined.linkTypes.merge(found.cluster->linkTypes);
    LinkType &between = joined.linkTypes["between"];
    between.kind = "ethernet";
    between.bytesPerSecond = 12.5e9;
    between.latencySeconds = 2e-5;
    Group &group = joined.groups.emplace_back(found.cluster->groups.front());
    group.name = name;
    joined.interconnects.push_back(
        {joined.groups.front().name + "[0]", name + "[0]", "between", 1});
    joined.name += "+" + name;
  }
  return joined;
}

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
  workload::TransformerSizes wide = gated;
  wide.layers = 16;
  wide.hidden = 8192;
  wide.heads = 64;
  wide.feedForward = 28672;
  wide.vocabulary = 128256;
  wide.positions = 8192;
  workload::TransformerSizes experts = small;
  experts.hidden = 2048;
  return {
      {"small", {"8xh100"}, workload::transformer(small)},
      {"tied", {"4xl40s"}, workload::transformer(small, true)},
      {"recurrent", {"8xh100"}, workload::transformer(small, true, true)},
      {"recurrent stages",
       {"8xh100"},
       workload::transformer(small, true, true),
       "pp=2..4,zero=3"},
      {"tied ends of one rank",
       {"4xl40s"},
       workload::transformer(small, true),
       "pp=2..4,schedule=zb-v"},
      {"seven devices", {"7xh100"}, workload::transformer(small)},
      {"gated", {"2x8xa100-80"}, workload::transformer(gated)},
      {"wide", {"64xh100"}, workload::transformer(wide)},
      {"wide on more", {"16x8xa100-80"}, workload::transformer(wide)},
      {"mixed devices", {"8xh100", "8xa100-80"}, workload::transformer(gated)},
      {"data ranks on mixed devices",
       {"8xh100", "8xa100-80"},
       mixture(experts, 16),
       "dp=6..12,pp=1"},
      {"experts", {"16xh100"}, mixture(experts, 16)}};
}

TEST(SearchedPlans, AreAccepted) {
  for (const Case &each : cases()) {
    SCOPED_TRACE(each.name);
    Cluster cluster = join(each.clusters);
    StackProfile profile;
    ClusterTopology topology(cluster);
    CostContext context{each.model, topology, profile, {0.05}};
    SearchOptions options;
    options.planCount = 8;
    if (!each.fixed.empty())
      EXPECT_EQ(options.constraints.fix(each.fixed), std::nullopt);
    SearchResult result = searchStrategies(context, options);
    ASSERT_FALSE(result.plans.empty());
    PlanSampler writer(each.model, cluster, profile, 0);
    for (size_t i = 0; i < result.plans.size(); ++i) {
      PlanDocument plan;
      plan.estimate = result.plans[i].estimate;
      writer.fill(plan, result.plans[i].strategy);
      plan.dollars = result.plans[i].dollars;
      plan.search.bound = result.lowerBound;
      bool exact = i == 0 && result.proof == ProofKind::Exact;
      plan.search.proof = exact ? PlanProof::Exact : PlanProof::Bounded;
      std::string error;
      auto report =
          checkPlan(toJson(plan), {each.model, cluster, profile}, error);
      ASSERT_TRUE(report) << error;
      for (const Finding &finding : report->findings)
        ADD_FAILURE() << plan.strategy.str() << ": " << finding.str();
    }
  }
}

} // namespace
