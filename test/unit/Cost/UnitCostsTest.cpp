// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/UnitCosts.h"
#include "TransformerModel.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Plan/BlockTable.h"

#include <chrono>
#include <gtest/gtest.h>

namespace shardsmith {
namespace {

using namespace workload;

TEST(Quick, Llama) {
  TransformerSizes sizes{.layers = 32,
                         .hidden = 4096,
                         .heads = 32,
                         .keyValueHeads = 8,
                         .feedForward = 14336,
                         .vocabulary = 128256,
                         .positions = 8192,
                         .gated = true,
                         .dropout = false};
  Workload w = transformer(sizes);
  EXPECT_EQ(w.verify(), "");
  ClusterResult cluster = findCluster("8xh100");
  ASSERT_TRUE(cluster.cluster);
  ClusterTopology topology(*cluster.cluster);
  StackProfile profile;
  CollectiveTimes collectives(*cluster.cluster, profile);
  KernelTimes kernels(topology.deviceType(0), profile);
  for (int64_t t : {1, 2, 4, 8}) {
    UnitSetting setting;
    setting.tensor = t;
    if (t > 1)
      setting.tensorPath = topology.path(1, t);
    for (BlockIndex b = 0; b < 3; ++b) {
      auto start = std::chrono::steady_clock::now();
      UnitCostModel model(w, b, setting, kernels, collectives);
      auto table = blockTable(model, b == 1);
      double us = std::chrono::duration<double, std::micro>(
                      std::chrono::steady_clock::now() - start)
                      .count();
      printf("t=%ld block %u: %zu entries %.0f us\n", t, b, table.size(), us);
      if (t == 8 || b == 1)
        for (size_t n = 0; n < std::min<size_t>(table.size(), 6); ++n) {
          auto &e = table[n];
          auto &c = e.costs;
          printf("  in %s out %s fwd %ld bwdI %ld bwdW %ld commF %ld commB %ld "
                 "saved %ld %ld %ld dense %ld partial %ld trans %ld\n",
                 e.inputs.empty()
                     ? "-"
                     : (e.inputs[0] == TensorLayout::whole()
                            ? "W"
                            : ("S" + std::to_string(e.inputs[0].dim)).c_str()),
                 e.outputs.empty()
                     ? "-"
                     : (e.outputs[0] == TensorLayout::whole()
                            ? "W"
                            : ("S" + std::to_string(e.outputs[0].dim)).c_str()),
                 c.forward.count(), c.backwardInput.count(),
                 c.backwardWeight.count(),
                 c.forwardCommunication.tensor.count(),
                 c.backwardCommunication.tensor.count(), c.saved[0].count(),
                 c.saved[1].count(), c.saved[2].count(), c.denseParameters,
                 c.partialParameters, c.transient.count());
          for (OpIndex o = 0; o < w.blocks[b].ops.size(); ++o)
            printf(" %s:%s", w.blocks[b].ops[o].name.c_str(),
                   e.layout.ops[o].factor
                       ? w.blocks[b]
                             .ops[o]
                             .factors[*e.layout.ops[o].factor]
                             .name.c_str()
                       : "-");
          printf("\n");
        }
    }
  }
}

} // namespace
} // namespace shardsmith
