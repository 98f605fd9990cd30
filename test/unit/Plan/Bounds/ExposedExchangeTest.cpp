// SPDX-License-Identifier: Apache-2.0
//
// Pipelines at random whose ranks wait for what ZeRO exchanges: a step that is
// above a limit by that alone must be expected. SHARDSMITH_TEST_SEED sets the
// first one.

#include "../../../../lib/Plan/Bounds/ExposedExchange.h"
#include "../../FirstSeed.h"
#include "../RandomInstance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace shardsmith {
namespace {

using namespace search;
using testing_search::RandomInstance;

/// A model under one schedule, and layouts with numbers at random.
class RandomRanks {
public:
  explicit RandomRanks(uint64_t seed)
      : instance(seed, seed % 2 == 0), topology(withFour(instance.cluster)),
        context{instance.workload, topology, instance.profile},
        chain(instance.workload), pools(unsigned(topology.pools().size())) {
    outer.tensor = 1 + below(2);
    outer.data = 2;
    outer.zeroStage = 2 + unsigned(below(2));
    outer.pipeline =
        1 + below(std::min<int64_t>(chain.units(), topology.deviceCount() /
                                                       (2 * outer.tensor)));
    if (outer.pipeline > 1 && below(2)) {
      outer.schedule = ScheduleFamily::Interleaved;
      outer.virtualStages = 2;
    }
    int64_t onFirst = pools == 1 ? outer.pipeline : below(outer.pipeline + 1);
    for (int64_t rank = 0; rank < outer.pipeline; ++rank)
      poolsOfRanks.push_back(rank < onFirst ? 0 : 1);
    for (size_t block = 0; block < instance.workload.blocks.size(); ++block) {
      auto table = std::make_shared<PricedTable>();
      for (int64_t entry = 0, entries = 1 + below(2) * below(3);
           entry < entries; ++entry) {
        table->entries.emplace_back();
        std::vector<UnitCosts> costs;
        for (unsigned pool = 0; pool < pools; ++pool)
          costs.push_back(randomCosts());
        table->costs.push_back(costs);
      }
      tables.push_back(table);
    }
  }

  int64_t below(int64_t bound) { return instance.below(bound); }

  /// Units at random for every rank, with layouts at random.
  std::vector<RankTimes> randomPipeline(const StepModel &model,
                                        const PipelineLinks &links) {
    std::vector<size_t> entries;
    for (const auto &table : tables)
      entries.push_back(size_t(below(int64_t(table->entries.size()))));
    std::vector<RankTimes> ranks;
    for (int64_t rank = 0, begin = 0; rank < outer.pipeline; ++rank) {
      bool isLast = rank + 1 == outer.pipeline;
      int64_t end =
          isLast ? chain.units() : begin + below(chain.units() - begin + 1);
      unsigned pool = poolsOfRanks[size_t(rank)];
      StageWork work;
      std::vector<PipelineMessage> messages;
      for (int64_t unit = begin; unit < end; ++unit) {
        auto block = chain.blockOf(chain.segmentOf(unit));
        work.append(tables[block]->costs[entries[block]][pool],
                    Recompute(below(recomputeChoices)));
        if (messages.size() < links.ofRank(rank).size())
          messages.push_back(
              {work.outputBytes, links.ofRank(rank)[messages.size()]});
      }
      begin = end;
      ranks.push_back(model.times(pool, work, messages));
      ranks.back().shared = model.sharedExchange(work, links.slowest());
    }
    return ranks;
  }

  LayoutList list() {
    return LayoutList(instance.workload, chain, tables, pools,
                      {true, true, true}, room);
  }

  RandomInstance instance;
  ClusterTopology topology;
  CostContext context;
  Chain chain;
  LayoutCache room = 0;
  unsigned pools;
  Strategy outer;
  /// Of the pipeline.
  std::vector<unsigned> poolsOfRanks;
  PricedTables tables;

private:
  /// Devices at least, on the first kind.
  static const Cluster &withFour(Cluster &cluster) {
    auto &count = cluster.groups.front().node.devices.front().count;
    count = std::max<int64_t>(count, 4);
    return cluster;
  }

  /// Half of them nothing.
  int64_t half(int64_t bound) { return below(2) * below(1 + below(bound)); }

  UnitCosts randomCosts() {
    UnitCosts costs;
    costs.forward = Nanoseconds(below(20'000));
    costs.backwardInput = Nanoseconds(half(20'000));
    costs.forwardCommunication.tensor = Nanoseconds(half(20'000));
    costs.backwardCommunication.context = Nanoseconds(half(20'000));
    for (size_t choice = 1; choice < recomputeChoices; ++choice)
      costs.recompute[choice] = Nanoseconds(half(5'000));
    costs.denseParameters = half(4'000'000);
    costs.expertParameters = half(4'000'000);
    costs.partialParameters = half(4'000'000);
    costs.outputBytes = Bytes(half(4'000'000));
    for (unsigned group = 0; group < 2; ++group)
      if (below(4) == 0)
        costs.shared.push_back({{group, 1 + int64_t(group), 1 + below(8)},
                                half(1'000'000),
                                half(1'000'000),
                                half(1'000'000)});
    return costs;
  }
};

StepModel::Totals totalsOf(const std::vector<RankTimes> &ranks) {
  StepModel::Totals totals;
  for (const RankTimes &rank : ranks) {
    totals.perMicroBatch = std::max(totals.perMicroBatch, rank.perMicroBatch());
    totals.idle += rank.idle;
    totals.tail = std::max(totals.tail, rank.tail());
  }
  return totals;
}

TEST(ExposedExchange, AreExpectedWhereAStepIsTooLongByThem) {
  uint64_t first = test::firstSeed();
  size_t tooLong = 0, others = 0, notExpected = 0;
  for (uint64_t seed = first; seed < first + 4'000; ++seed) {
    SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
    RandomRanks random(seed);
    StepModel model(random.context, random.outer);
    double neverHidden = random.instance.profile.parameterGatherExposure;
    ExposedExchange waiting(random.list(), random.chain, random.pools,
                            neverHidden);

    PipelineLinks links(random.topology, random.outer, random.poolsOfRanks);
    Nanoseconds handedOn = waiting.mostHandedOn(model, random.outer, links);
    Nanoseconds shared = waiting.mostShared(model, links);
    std::vector<RankTimes> ranks = random.randomPipeline(model, links);
    StepModel::Totals totals = totalsOf(ranks);
    // As if kernels hid all that can be hidden.
    for (RankTimes &rank : ranks)
      rank.gather = Nanoseconds(
          std::llround(double(rank.exchange.count()) * neverHidden));
    StepModel::Totals hidden = totalsOf(ranks);
    Nanoseconds step = model.step(totals), least = model.step(hidden);
    if (step == least) {
      ++others;
      notExpected += !waiting.mayExceed(least, model, random.outer,
                                        StepModel::Totals(), handedOn, shared);
      continue;
    }
    ++tooLong;
    Nanoseconds most = step - Nanoseconds(1);
    if (random.below(2))
      most = least + Nanoseconds(random.below((step - least).count()));
    // What such a step leaves for a micro-batch.
    Nanoseconds left =
        model.longestWork(most) -
        (model.work(totals) - totals.perMicroBatch * model.microBatches());
    StepModel::Totals atLeast;
    atLeast.perMicroBatch =
        Nanoseconds(random.below(2) * left.count() / model.microBatches());
    ASSERT_TRUE(waiting.mayExceed(most, model, random.outer, atLeast, handedOn,
                                  shared));
  }
  EXPECT_GT(tooLong, 500u);
  EXPECT_GT(others, 500u);
  // A bound that expects them always would be of no use.
  EXPECT_GT(notExpected, others / 10);
  std::printf("%zu too long, %zu of %zu others not expected\n", tooLong,
              notExpected, others);
}

} // namespace
} // namespace shardsmith
