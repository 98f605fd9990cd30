// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Search.h"
#include "../../Cost/TransformerModel.h"
#include "shardsmith/Cluster/ClusterReader.h"

#include <chrono>
#include <gtest/gtest.h>

namespace shardsmith {
namespace {

using namespace workload;

void tryOne(const TransformerSizes &sizes, const char *name, size_t count) {
  Workload w = transformer(sizes);
  ClusterResult cluster = findCluster(name);
  ASSERT_TRUE(cluster.cluster);
  ClusterTopology topology(*cluster.cluster);
  StackProfile profile;
  CostContext context{w, topology, profile};
  SearchOptions options;
  options.planCount = count;
  auto start = std::chrono::steady_clock::now();
  SearchResult r = searchStrategies(context, options);
  double s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  printf("%s layers %ld top %zu: %.3f s; classes %ld out %ld large %ld tables "
         "%ld cand %ld out %ld large %ld part %ld proof %s\n",
         name, sizes.layers, count, s, r.counts.classes,
         r.counts.classesBoundedOut, r.counts.classesTooLarge,
         r.counts.blockTables, r.counts.candidates,
         r.counts.candidatesBoundedOut, r.counts.candidatesTooLarge,
         r.counts.partitions, nameOf(r.proof).data());
  for (auto &p : r.plans)
    printf("   %.3f ms %s | %s\n", p.estimate.step().count() / 1e6,
           p.strategy.str().c_str(), p.whyNotFirst.c_str());
  fflush(stdout);
}

TEST(Quick, Speed) {
  TransformerSizes llama8{.layers = 32,
                          .hidden = 4096,
                          .heads = 32,
                          .keyValueHeads = 8,
                          .feedForward = 14336,
                          .vocabulary = 128256,
                          .positions = 8192,
                          .gated = true,
                          .dropout = false,
                          .globalBatch = 128};
  tryOne(llama8, "8xh100", 1);
  tryOne(llama8, "64xh100", 1);
  //  tryOne(llama8, "64xh100", 5);
}

} // namespace
} // namespace shardsmith
