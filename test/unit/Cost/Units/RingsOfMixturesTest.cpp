// SPDX-License-Identifier: Apache-2.0
//
// Causal rings of mixtures of experts, as the planner reads them off a model:
// every rank has as much to do as any other, and the price says so.

#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cost/Profiles/StackProfile.h"
#include "shardsmith/Cost/Units/UnitCosts.h"
#include "shardsmith/Import/BuildModel.h"
#include "shardsmith/InitAll.h"
#include "shardsmith/Workload/ExtractWorkload.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardsmith {
namespace {

using namespace workload;

class RingsOfMixtures : public testing::Test {
protected:
  RingsOfMixtures()
      : cluster(*findCluster("8xh100").cluster), topology(cluster),
        kernels(topology.deviceType(0), profile),
        collectives(cluster, profile) {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  Workload extract(const char *name) {
    auto module = buildModel(context, {.model = name});
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      return {};
    }
    auto workload = extractWorkload(**module);
    if (!workload) {
      ADD_FAILURE() << llvm::toString(workload.takeError());
      return {};
    }
    return std::move(*workload);
  }

  /// Of the last block with experts, on a ring of four ranks.
  UnitCosts price(const Workload &workload) {
    BlockIndex block = 0;
    for (BlockIndex each = 0; each < workload.blocks.size(); ++each)
      if (std::ranges::any_of(workload.blocks[each].ops,
                              &Op::isProductPerExpert))
        block = each;
    UnitSetting four;
    four.context = 4;
    four.paths.context = topology.path(1, 4);
    UnitCostModel model(workload, block, four, kernels, collectives);
    return model.price(unsplitLayout(workload.blocks[block]));
  }

  mlir::MLIRContext context;
  StackProfile profile;
  Cluster cluster;
  ClusterTopology topology;
  KernelTimes kernels;
  CollectiveTimes collectives;
};

// Other stacks deal positions out in any case.
TEST_F(RingsOfMixtures, ArePricedAsBalanced) {
  for (const char *name : {"mixtral-8x7b", "deepseek-v3"}) {
    SCOPED_TRACE(name);
    Workload workload = extract(name);
    profile.compiledRings = false;
    Nanoseconds elsewhere = price(workload).forward;
    profile.compiledRings = true;
    EXPECT_EQ(price(workload).forward, elsewhere);
    workload.positionObstacle = "rows that stay sorted";
    EXPECT_GT(price(workload).forward, elsewhere);
  }
}

} // namespace
} // namespace shardsmith
