// SPDX-License-Identifier: Apache-2.0
//
// A model of two blocks and a plan for it, made by hand.

#ifndef SHARDSMITH_TEST_UNIT_PLANFILES_SAMPLEPLAN_H
#define SHARDSMITH_TEST_UNIT_PLANFILES_SAMPLEPLAN_H

#include "shardsmith/PlanFiles/PlanDocument.h"

namespace shardsmith::test {

/// rows × hidden, by weights of hidden × inner.
inline workload::Block makeBlock(std::string name) {
  using namespace workload;
  Block block;
  block.name = std::move(name);
  block.tensors = {
      {"x", {1, 8, 16}, ElementType::BF16, TensorRole::Activation, true, false},
      {"weight",
       {16, 32},
       ElementType::BF16,
       TensorRole::Parameter,
       false,
       false},
      {"y",
       {1, 8, 32},
       ElementType::BF16,
       TensorRole::Activation,
       true,
       false}};
  Op op;
  op.name = "up";
  op.product = ProductParts{};
  op.factors = {{"batch", 1, FactorKind::PassThrough, FactorRole::Batch},
                {"row", 8, FactorKind::PassThrough, FactorRole::Sequence},
                {"column", 32, FactorKind::PassThrough, FactorRole::Other},
                {"hidden", 16, FactorKind::Reduction, FactorRole::Other}};
  op.operands = {{0, {{0}, {1}, {3}}}, {1, {{3}, {2}}}};
  op.results = {{2, {{0}, {1}, {2}}}};
  op.flops = Flops(2 * 8 * 16 * 32);
  block.ops = {op};
  block.inputs = {0};
  block.outputs = {2};
  block.parameters = {1};
  return block;
}

/// Twelve equal units.
inline workload::Workload makeWorkload() {
  workload::Workload workload;
  workload.modelName = "sample";
  workload.modelHash = "0123456789abcdef";
  workload.blocks = {makeBlock("layer")};
  workload::Segment segment;
  segment.block = 0;
  segment.count = 12;
  for (int layer = 0; layer < 12; ++layer)
    segment.parameterNames.add(
        {"layers." + std::to_string(layer) + ".up.weight"});
  workload.segments = {segment};
  workload.globalBatch = 64;
  workload.sequenceLength = 8;
  workload.computeType = workload::ElementType::BF16;
  return workload;
}

inline Strategy makeStrategy() {
  Strategy strategy;
  strategy.tensor = 4;
  strategy.data = 2;
  strategy.pipeline = 2;
  strategy.zeroStage = 1;
  strategy.microBatch = 2;
  std::vector<Recompute> recompute(5, Recompute::Full);
  recompute.resize(7, Recompute::None);
  strategy.stages = {
      {0, 7, recompute, 0},
      {7, 12, std::vector<Recompute>(5, Recompute::Selective), 0}};
  BlockLayout layout;
  layout.ops = {{2}};
  layout.tensors = {TensorLayout::whole(), TensorLayout::split(1),
                    TensorLayout::split(2)};
  strategy.layouts = {layout};
  return strategy;
}

inline StepEstimate makeEstimate(int64_t compute, int64_t activations) {
  StepEstimate estimate;
  estimate.time.compute = Nanoseconds(compute);
  estimate.time.tensor = Nanoseconds(200'000'000);
  estimate.time.bubble = Nanoseconds(50'000'000);
  StageEstimate rank;
  rank.forward = Nanoseconds(10'000'000);
  rank.backward = Nanoseconds(20'000'000);
  rank.inFlight = 2;
  rank.memory.parameters = Bytes(int64_t(4) << 30);
  rank.memory.activations = Bytes(activations);
  rank.memoryLimit = Bytes(int64_t(72) << 30);
  estimate.ranks = {rank, rank};
  estimate.ranks[1].inFlight = 1;
  estimate.uncertainty = 0.14;
  estimate.provenance = Provenance::Calibrated;
  return estimate;
}

inline StepPlan makeStepPlan() {
  StepPlan plan;
  plan.toolVersion = "0.1.0";
  plan.model = {"tiny", "0123456789abcdef"};
  plan.cluster = {"cpu:4", "fedcba9876543210"};
  plan.profile = {"shardsmith", "00112233aabbccdd"};
  plan.mesh = {{"data", 2}, {"tensor", 2}};
  plan.microBatches = 3;
  plan.arguments = {{"w", "param", "f32", {8, 16}, {{}, {"tensor"}}},
                    {"x", "batch", "i32", {4, 8}, {{"data"}, {}}},
                    {"step", "state", "i32", {}, {}}};
  plan.stepHash = "00000000deadbeef";
  plan.choices = {
      {"#smith.factor_axes<[{\"data\"}]>", {}},
      {"#smith.factor_axes<[{}]>", {"", "#sdy.sharding<@mesh, []>"}}};
  plan.opChoices = {0, 0, 0, 1, 0};
  plan.predicted.source = "program";
  plan.predicted.step = Nanoseconds(120);
  plan.predicted.collectives = {
      {"all_reduce", {"data", "tensor"}, 3, Bytes(4096), {}}};
  plan.predicted.parameters = Bytes(512);
  plan.predicted.peak = Bytes(2048);
  plan.search.cost = 120;
  plan.search.compute = Nanoseconds(100);
  plan.search.communication = Nanoseconds(20);
  plan.search.lowerBound = 100;
  plan.search.gap = 0.2;
  plan.search.proof = "bounded";
  plan.search.ops = 5;
  plan.search.decisions = 4;
  plan.search.meshes = {{{{"a", 4}}, "excluded", std::nullopt, 130},
                        {{{"a", 2}, {"b", 2}}, "bounded", 120, 100}};
  return plan;
}

/// A plan without a strategy.
inline PlanDocument makeStepDocument() {
  return planWithoutStrategy(makeStepPlan(), {{"core", 4}},
                             {{"fix", "data=2,tensor=2", true}});
}

inline PlanDocument makeDocument() {
  workload::Workload workload = makeWorkload();
  PlanDocument document;
  document.toolVersion = "0.1.0";
  document.model = {{workload.modelName, workload.modelHash},
                    12 * 16 * 32,
                    64,
                    8,
                    Flops(12 * 2 * 8 * 16 * 32),
                    workload::ElementType::BF16};
  document.cluster = {"2x8xh100", "fedcba9876543210"};
  document.pools = {{"h100", 16}};
  document.profile = {"generic", "00112233aabbccdd"};
  document.options = {{"fix", "tensor=4", true}, {"margin", "0.1", false}};
  document.strategy = makeStrategy();
  document.layouts = nameLayouts(workload, document.strategy);
  document.estimate = makeEstimate(1'000'000'000, int64_t(20) << 30);
  document.checkpoints = {
      Bytes(int64_t(30) << 30), Nanoseconds(int64_t(1) << 50),
      CheckpointTimes{Nanoseconds(4'000'000'000),
                      Nanoseconds(1'000'000'000'000), 0.008}};
  document.search.cost = document.estimate.step().count();
  document.search.bound = 1'200'000'000;
  document.search.proof = PlanProof::Bounded;
  document.search.counts = {{"candidates", 4321}, {"partitions", 17}};
  PlanAlternative other;
  other.strategy = makeStrategy();
  other.strategy.layouts.clear();
  other.strategy.data = 1;
  other.strategy.dataShares = {{0, 1, 32}};
  other.estimate = makeEstimate(1'100'000'000, int64_t(90) << 30);
  other.dollars = 1.5;
  other.reason = "too much memory";
  document.alternatives = {other};
  document.program = makeStepPlan();
  document.program->toolVersion = document.toolVersion;
  document.program->model = document.model.identity;
  document.program->cluster = document.cluster;
  document.program->profile = document.profile;
  document.program->predicted.step = document.estimate.step();
  return document;
}

} // namespace shardsmith::test

#endif // SHARDSMITH_TEST_UNIT_PLANFILES_SAMPLEPLAN_H
