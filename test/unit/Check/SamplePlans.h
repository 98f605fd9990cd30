// SPDX-License-Identifier: Apache-2.0
//
// Plan files for strategies that nobody searched: with random degrees, stages,
// recomputation and layouts, all of them legal.

#ifndef SHARDSMITH_TEST_UNIT_CHECK_SAMPLEPLANS_H
#define SHARDSMITH_TEST_UNIT_CHECK_SAMPLEPLANS_H

#include "../Cost/TransformerModel.h"
#include "shardsmith/Cluster/Topology.h"
#include "shardsmith/PlanFiles/PlanDocument.h"

#include <algorithm>
#include <random>

namespace shardsmith::check {

/// Two layers of attention and experts between embedding and head.
inline workload::Workload mixture(const workload::TransformerSizes &sizes,
                                  int64_t experts) {
  using namespace workload;
  Workload model = transformer(sizes);
  BlockWriter w = transformerWriter(sizes, "experts");
  w.factor("x", experts, FactorRole::Expert)
      .factor("r", sizes.positions * 2 / experts);
  BlockWriter::Dims hidden = {{"b"}, {"s"}, {"h"}};
  BlockWriter::Dims rows = {{"x"}, {"b"}, {"r"}, {"h"}};
  TensorIndex x = w.saved("x", hidden);
  w.block.inputs = {x};
  TensorIndex sorted = w.saved("sorted", rows);
  w.op(described::dispatch, "dispatch", {x}, {sorted}).expertsPerToken = 2;
  TensorIndex weights = w.parameter("experts.up", {{"x"}, {"h"}, {"f"}});
  TensorIndex up = w.saved("up", {{"x"}, {"b"}, {"r"}, {"f"}});
  w.op(described::groupedMatmul, "experts.up", {sorted, weights}, {up});
  TensorIndex back = w.parameter("experts.down", {{"x"}, {"f"}, {"h"}});
  TensorIndex down = w.tensor("down", rows);
  w.op(described::groupedMatmul, "experts.down", {up, back}, {down});
  TensorIndex out = w.tensor("out", hidden);
  w.op(described::combine, "combine", {down}, {out}).expertsPerToken = 2;
  w.block.outputs = {out};
  model.blocks.push_back(w.block);
  Segment segment{3, 1, {{"experts.up", "experts.down"}}};
  model.segments.insert(model.segments.begin() + 2, segment);
  return model;
}

/// Neighbouring repetitions are one layer used twice, and experts are used a
/// second time: tensors that ranks have once, in groups of several.
inline workload::Workload inPairs(workload::Workload model) {
  using namespace workload;
  for (size_t i = 1; i + 1 < model.segments.size(); ++i) {
    Segment &segment = model.segments[i];
    segment.count = std::max<int64_t>(segment.count, 2);
    ParameterNames names;
    for (int64_t unit = 0; unit < segment.count; ++unit)
      names.add(segment.parameterNames.namesIn(unit / 2));
    segment.parameterNames = names;
  }
  return model;
}

class PlanSampler {
public:
  PlanSampler(const workload::Workload &model, const Cluster &cluster,
              const StackProfile &profile, uint64_t seed)
      : model(model), cluster(cluster), profile(profile), topology(cluster),
        random(seed) {}

  /// A legal strategy and what `estimateStep` says of it, as plan.json.
  PlanDocument sample() {
    for (;;) {
      Strategy strategy = sampleStrategy();
      if (!strategy.verify(model).empty())
        continue;
      CostContext context{model, topology, profile, {margin}};
      PlanDocument document;
      document.estimate = estimateStep(context, strategy);
      // Context ranks may not be able to deal out the heads, and memory may
      // be too small; such strategies are nobody's plans.
      if (document.estimate.step().isSaturated() || !document.estimate.fits())
        continue;
      fill(document, strategy);
      return document;
    }
  }

  /// What belongs to a plan besides strategy and estimate.
  void fill(PlanDocument &document, const Strategy &strategy) {
    document.toolVersion = "test";
    document.model.identity = {model.modelName, model.modelHash};
    document.model.parameters = model.parameterCount();
    document.model.globalBatch = model.globalBatch;
    document.model.sequenceLength = model.sequenceLength;
    document.model.forwardFlops = model.forwardFlops();
    document.model.computeType = model.computeType;
    document.cluster = {cluster.name, cluster.hash()};
    document.pools.clear();
    for (const DevicePool &pool : topology.pools())
      document.pools.push_back({pool.type, pool.count()});
    document.profile = {profile.name, hashOf(profile)};
    document.options = {{"margin", std::to_string(margin), false}};
    document.strategy = strategy;
    const DeviceType &device = topology.deviceType(0);
    if (device.dollarsPerHour)
      document.dollars = *device.dollarsPerHour * double(strategy.rankCount()) *
                         double(document.estimate.step().count()) / 3.6e12;
    document.checkpoints =
        checkpointsOf({model, topology, profile, {margin}}, strategy);
    document.layouts = nameLayouts(model, strategy);
    document.search.cost = document.estimate.step().count();
    document.search.bound = document.search.cost;
    document.search.proof = PlanProof::Exact;
  }

private:
  static constexpr double margin = 0.05;

  int64_t below(int64_t count) {
    return std::uniform_int_distribution<int64_t>(0, count - 1)(random);
  }
  template <typename T> const T &oneOf(const std::vector<T> &items) {
    return items[size_t(below(int64_t(items.size())))];
  }

  Strategy sampleStrategy() {
    Strategy s;
    int64_t devices = topology.deviceCount();
    auto degree = [&](std::vector<int64_t> values) {
      int64_t value = oneOf(values);
      if (value > devices)
        return int64_t(1);
      devices /= value;
      return value;
    };
    s.tensor = degree({1, 2, 4});
    s.pipeline = degree({1, 2, 3, 4});
    s.context = degree({1, 1, 2});
    s.data = degree({1, 2, 4, 8});
    s.expert = oneOf(std::vector<int64_t>{1, s.data * s.context});
    if (model.blocks.size() < 4)
      s.expert = 1;
    s.schedule = ScheduleFamily(below(8));
    s.virtualStages = isVShaped(s.schedule)                       ? 2
                      : s.schedule == ScheduleFamily::Interleaved ? 1 + below(2)
                                                                  : 1;
    std::shuffle(s.deviceOrder.begin(), s.deviceOrder.end(), random);
    s.contextMethod = ContextMethod(below(2));
    s.zeroStage = int(below(4));
    s.zeroGroup = below(2) == 0 ? 0 : s.data;
    s.microBatch = oneOf(std::vector<int64_t>{1, 2});
    sampleStages(s);
    for (workload::BlockIndex block = 0; block < model.blocks.size(); ++block)
      s.layouts.push_back(sampleLayout(s, block));
    return s;
  }

  void sampleStages(Strategy &s) {
    int64_t units = model.unitCount(), count = s.pipeline * s.virtualStages;
    std::vector<int64_t> cuts = {0, units};
    for (int64_t i = 1; i < count; ++i)
      cuts.push_back(1 + below(units - 1));
    std::sort(cuts.begin(), cuts.end());
    for (int64_t i = 0; i < count; ++i) {
      Stage &stage = s.stages.emplace_back();
      stage.begin = cuts[size_t(i)];
      stage.end = cuts[size_t(i) + 1];
      for (int64_t unit = stage.begin; unit < stage.end; ++unit)
        stage.recompute.push_back(Recompute(below(recomputeChoices)));
    }
  }

  /// Blocks hand over what they take, so all chains fit.
  BlockLayout sampleLayout(const Strategy &s, workload::BlockIndex index) {
    const workload::Block &block = model.blocks[index];
    UnitSetting setting;
    setting.microBatch = s.microBatch;
    setting.tensor = s.tensor;
    setting.context = s.context;
    setting.expert = s.expert;
    BlockShapes shapes(block, setting);
    BlockLayout layout = unsplitLayout(block);
    std::vector<ReadingSet> readings(block.tensors.size());
    for (workload::OpIndex op = 0; op < block.ops.size(); ++op) {
      layout.ops[op] = oneOf(shapes.splits(op));
      for (unsigned i = 0; i < block.ops[op].operands.size(); ++i)
        readings[block.ops[op].operands[i].tensor].insert(
            shapes.reading(op, layout.ops[op], i));
    }
    for (workload::TensorIndex t = 0; t < block.tensors.size(); ++t) {
      bool boundary = shapes.isInput(t) || shapes.isOutput(t);
      if (block.tensors[t].role == workload::TensorRole::Parameter)
        layout.tensors[t] = BlockShapes::parameterLayout(readings[t]);
      else if (!boundary)
        layout.tensors[t] = oneOf(shapes.layouts(t));
    }
    return layout;
  }

  const workload::Workload &model;
  const Cluster &cluster;
  const StackProfile &profile;
  ClusterTopology topology;
  std::mt19937_64 random;
};

} // namespace shardsmith::check

#endif // SHARDSMITH_TEST_UNIT_CHECK_SAMPLEPLANS_H
