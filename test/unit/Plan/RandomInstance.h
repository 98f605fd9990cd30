// SPDX-License-Identifier: Apache-2.0
//
// Small random planning problems: one or two kinds of blocks of one or two
// products, of attention, or of a mixture's experts, one to eight devices of
// one or two kinds, and a user who decides part of the plan so that what is
// left can be enumerated.

#ifndef SHARDSMITH_TEST_UNIT_PLAN_RANDOMINSTANCE_H
#define SHARDSMITH_TEST_UNIT_PLAN_RANDOMINSTANCE_H

#include "../Cost/TransformerModel.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Plan/Search/Search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace shardsmith::testing_search {

using namespace workload;

/// What some blocks of a model are made of.
struct ModelParts {
  /// With attention the ends of the model may also share a parameter.
  bool experts = false, attention = false;
  /// Units share parameters: repetitions of a block, units of two blocks.
  bool sharing = false;
};

class RandomInstance {
public:
  RandomInstance(uint64_t seed, bool isMixed, ModelParts parts = {})
      : parts(parts), random(seed) {
    makeWorkload();
    makeCluster(isMixed);
    makeProfile();
    makeConstraints(isMixed);
    // By itself: what seeds stand for that were found before this was drawn
    // stays.
    constraints.splitsFeatures = std::mt19937_64(seed ^ 2)() % 3 != 0;
    if (std::mt19937_64 other(seed ^ 4); other() % 3 == 0)
      makeSplits(other);
  }

  int64_t below(int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random);
  }
  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }

  Workload workload;
  Cluster cluster;
  StackProfile profile;
  SearchConstraints constraints;

private:
  /// Tokens go to experts of one product each, and back.
  Block expertBlock(const std::string &name, int64_t hidden, bool isFirst,
                    bool isLast) {
    BlockWriter writer(name);
    int64_t experts = 2 << below(2), perToken = 1 + below(2);
    writer.factor("b", 1, FactorRole::Batch)
        .factor("s", workload.sequenceLength, FactorRole::Sequence)
        .factor("h", hidden)
        .factor("o", hidden)
        .factor("x", experts, FactorRole::Expert)
        .factor("r", workload.sequenceLength * perToken / experts);
    TensorIndex x = input(writer, isFirst);
    TensorIndex sorted = writer.saved("sorted", {{"x"}, {"b"}, {"r"}, {"h"}});
    writer.op(described::dispatch, "dispatch", {x}, {sorted});
    TensorIndex weights = writer.parameter("w", {{"x"}, {"h"}, {"o"}});
    TensorIndex made = writer.tensor("made", {{"x"}, {"b"}, {"r"}, {"o"}});
    writer.op(described::groupedMatmul, "experts", {sorted, weights}, {made});
    TensorIndex y = writer.tensor("y", {{"b"}, {"s"}, {"o"}});
    writer.op(described::combine, "combine", {made}, {y});
    for (Op &op : writer.block.ops)
      op.expertsPerToken = perToken;
    if (!isLast)
      writer.block.outputs = {y};
    return writer.block;
  }

  /// Positions look at each other, in one to four heads, and a product.
  Block attentionBlock(const std::string &name, int64_t hidden, bool isFirst,
                       bool isLast) {
    BlockWriter writer(name);
    int64_t positions = workload.sequenceLength, count = 1 << below(3);
    writer.factor("b", 1, FactorRole::Batch)
        .factor("s", positions, FactorRole::Sequence)
        .factor("a", count)
        .factor("d", hidden / count)
        .factor("e", hidden / count)
        .factor("o", hidden);
    TensorIndex x = input(writer, isFirst, {"a", "d"});
    BlockWriter::Dims heads = {{"b"}, {"s"}, {"a"}, {"d"}};
    // Keys are values as well.
    TensorIndex q = writer.saved("q", heads), v = writer.saved("v", heads);
    writer.op(described::fused, "heads", {x}, {q, v});
    TensorIndex mixed = writer.saved("mixed", {{"b"}, {"s"}, {"a"}, {"e"}});
    Op &op = writer.op(described::fused, "attention", {q, v, v}, {mixed});
    auto factor = [&](const char *each) { return writer.factorOfLastOp(each); };
    auto keys = FactorIndex(op.factors.size());
    op.factors.push_back(
        {"t", positions, FactorKind::Reduction, FactorRole::Sequence});
    op.operands[1].dims[1] = op.operands[2].dims[1] = {keys};
    op.operands[2].dims[3] = {factor("e")};
    op.attention = AttentionParts{factor("a"), std::nullopt, factor("s"),  keys,
                                  factor("d"), factor("e"),  below(2) == 0};
    TensorIndex weight = writer.parameter("wo", {{"a", "e"}, {"o"}});
    TensorIndex y = writer.tensor("y", {{"b"}, {"s"}, {"o"}});
    writer.op(described::matmul, "out", {mixed, weight}, {y});
    if (!isLast)
      writer.block.outputs = {y};
    return writer.block;
  }

  static TensorIndex input(BlockWriter &writer, bool isFirst,
                           const std::vector<std::string> &hidden = {"h"}) {
    BlockWriter::Dims dims = {{"b"}, {"s"}, hidden};
    if (isFirst)
      return writer.tensor("x", dims, TensorRole::Batch);
    TensorIndex x = writer.saved("x", dims);
    writer.block.inputs = {x};
    return x;
  }

  /// x · w1 (· w2), or a function of each number: the result has the shape of
  /// x.
  Block block(const std::string &name, int64_t hidden, bool isFirst,
              bool isLast) {
    if (parts.experts && below(2))
      return expertBlock(name, hidden, isFirst, isLast);
    if (parts.attention && below(2))
      return attentionBlock(name, hidden, isFirst, isLast);
    BlockWriter writer(name);
    int64_t inner = hidden * (1 + below(3));
    writer.factor("b", 1, FactorRole::Batch)
        .factor("s", workload.sequenceLength, FactorRole::Sequence)
        .factor("h", hidden)
        .factor("i", inner)
        .factor("o", hidden);
    bool hasTwo = below(2) == 0;
    TensorIndex x = input(writer, isFirst);
    if (below(4) == 0) {
      TensorIndex y = writer.tensor("y", {{"b"}, {"s"}, {"h"}});
      writer.op(described::fused, "function", {x}, {y});
      if (!isLast)
        writer.block.outputs = {y};
      return writer.block;
    }
    TensorIndex from = x;
    if (hasTwo) {
      TensorIndex weight = writer.parameter("w1", {{"h"}, {"i"}});
      TensorIndex middle = writer.tensor("m", {{"b"}, {"s"}, {"i"}},
                                         TensorRole::Activation, true);
      writer.block.tensors[middle].insideAttention = below(2) == 0;
      writer.op(described::matmul, "first", {x, weight}, {middle});
      from = middle;
    }
    std::string contracted = hasTwo ? "i" : "h";
    TensorIndex weight = writer.parameter("w2", {{contracted}, {"o"}});
    TensorIndex y = writer.tensor("y", {{"b"}, {"s"}, {"o"}});
    writer.op(described::matmul, "last", {from, weight}, {y});
    for (Op &op : writer.block.ops)
      op.flops = Flops(2 * workload.sequenceLength * hidden * inner);
    if (!isLast)
      writer.block.outputs = {y};
    return writer.block;
  }

  void makeWorkload() {
    workload.modelName = "random";
    workload.sequenceLength = 64 << below(4);
    workload.globalBatch = 1 + below(6);
    workload.computeType = ElementType::BF16;
    int64_t hidden = 256 << below(4);
    auto add = [&](const std::string &name, int64_t count, bool isLast) {
      bool isFirst = workload.blocks.empty();
      workload.segments.push_back(
          {BlockIndex(workload.blocks.size()), count, {}});
      workload.blocks.push_back(block(name, hidden, isFirst, isLast));
    };
    if (below(3) != 0)
      add("first", 1, false);
    if (workload.blocks.empty() || below(4) != 0)
      add("middle",
          workload.blocks.empty() ? 1 : 1 + below(parts.sharing ? 5 : 3),
          false);
    if (below(4) == 0)
      add("other", 1 + below(2), false);
    add("last", 1, true);
    bool isTied = parts.attention && below(2) && canTieEnds();
    for (Segment &segment : workload.segments)
      for (int64_t i = 0; i < segment.count; ++i) {
        std::vector<std::string> names;
        for (size_t j = 0; j < workload.blocks[segment.block].parameters.size();
             ++j)
          names.push_back("p" + std::to_string(parameters++));
        if (isTied && &segment == &workload.segments.back())
          names.front() = "p0";
        segment.parameterNames.add(names);
      }
    if (parts.sharing)
      shareParameters();
    if (below(12) == 0)
      workload.microBatchObstacle = "the batch is normalised";
  }

  /// Repetitions of a block have all their parameters in common, or some of
  /// them; or the first parameters of two blocks are one tensor. A block is in
  /// one group: fronts compare all groups together.
  void shareParameters() {
    auto shapeOfFirst = [&](const Segment &segment) {
      const Block &block = workload.blocks[segment.block];
      return block.parameters.empty()
                 ? std::vector<int64_t>()
                 : block.tensors[block.parameters.front()].shape;
    };
    auto rename = [](Segment &segment, auto nameOf) {
      ParameterNames names;
      for (int64_t i = 0; i < segment.count; ++i) {
        std::vector<std::string> each = segment.parameterNames.namesIn(i);
        for (size_t j = 0; j < each.size(); ++j)
          each[j] = nameOf(i, j, each[j]);
        names.add(each);
      }
      segment.parameterNames = names;
    };
    std::vector<Segment> &segments = workload.segments;
    for (size_t a = 0; a < segments.size(); ++a) {
      Segment &first = segments[a];
      if (shapeOfFirst(first).empty())
        continue;
      int64_t each = 1 + below(first.count);
      std::string name = "shared" + std::to_string(a) + ".";
      for (size_t b = a + 1; b < segments.size(); ++b) {
        if (shapeOfFirst(segments[b]) != shapeOfFirst(first) || below(2))
          continue;
        auto inBoth = [&](int64_t i, size_t j, const std::string &own) {
          return j == 0 ? name + std::to_string(i / each) : own;
        };
        rename(first, inBoth);
        rename(segments[b], inBoth);
        return;
      }
      size_t positions = 1 + size_t(below(2));
      if (below(2))
        rename(first, [&](int64_t i, size_t j, const std::string &own) {
          return j < positions
                     ? name + std::to_string(j) + "." + std::to_string(i / each)
                     : own;
        });
    }
  }

  /// The first parameters of both ends look the same, and occur once.
  bool canTieEnds() const {
    const Block &first = workload.blocks.front(),
                &last = workload.blocks.back();
    return workload.blocks.size() > 1 && workload.segments.front().count == 1 &&
           !first.parameters.empty() && !last.parameters.empty() &&
           first.tensors[first.parameters.front()].shape ==
               last.tensors[last.parameters.front()].shape;
  }

  void makeCluster(bool isMixed) {
    cluster = *findCluster(below(2) ? "8xh100" : "4x4xl40s").cluster;
    Group &group = cluster.groups.front();
    group.count = 1;
    group.node.count = 1 + below(2);
    group.node.devices.resize(1);
    group.node.devices.front().count = 1 + below(isMixed ? 2 : 4);
    group.node.islands.clear();
    if (!isMixed)
      return;
    // Each kind may be the better one for some blocks.
    DeviceType other = cluster.deviceTypes.at(group.node.devices[0].type);
    for (auto &[type, rate] : other.flopsPerSecond)
      rate *= std::pow(3, between(-1, 1));
    other.bytesPerSecond *= std::pow(3, between(-1, 1));
    cluster.deviceTypes["other"] = other;
    Group second = group;
    second.name = group.name + "2";
    second.node.count = 1;
    second.node.devices.front() = {"other", 1 + below(3)};
    std::string link =
        group.network.link.empty() ? group.node.fabricLink : group.network.link;
    cluster.interconnects.push_back(
        {group.name + "[0]", second.name + "[0]", link, 1});
    cluster.groups.push_back(second);
  }

  void makeProfile() {
    profile.constantGib = 0;
    profile.fusedAttention = below(2);
    profile.recomputeStopsEarly = below(2);
    profile.selectiveKeepsProducts = below(2);
    profile.layerForwardMicroseconds = double(below(2)) * 20;
    profile.stragglerPerDoubling = double(below(2)) * 0.01;
    profile.fixedMillisecondsPerStep = double(below(2));
    // Exchanges of such small tensors take longer than the work on them;
    // hidden in part they compare.
    if (below(2) == 0)
      profile.tensorExposure = std::pow(10, -between(0, 3));
    if (parts.experts) {
      profile.expertExposure = between(0, 1);
      profile.expertLayerMicroseconds = double(below(2)) * 20;
    }
    profile.dataExposure = between(0, 1);
    profile.pipelineExposure = between(0, 1);
    profile.parameterGatherExposure = between(0, 1);
    profile.zeroMicrosecondsPerRank = double(below(2)) * 5;
    if (parts.sharing)
      profile.sharedUpdatesOnce = below(2);
  }

  /// Leaves about one in four of what a choice offers.
  template <size_t Count> void leaveFew(std::array<bool, Count> &allowed) {
    for (bool &each : allowed)
      each = below(4) == 0;
    allowed[size_t(below(Count))] = true;
  }

  void makeConstraints(bool isMixed) {
    leaveFew(constraints.zero);
    leaveFew(constraints.schedules);
    if (below(2) == 0)
      leaveFew(constraints.recompute);
    constraints.onlyLayersRecompute = below(3) == 0;
    leaveFew(constraints.contextMethods);
    constraints.sequenceParallel = below(3) != 0;
    if (below(2) == 0 || isMixed)
      constraints.schedules[0] = true;
    if (below(2) == 0)
      constraints.tensor.most = 1 + below(3);
    if (below(3) == 0)
      constraints.pipeline.least = 1 + below(2);
    if (below(3) == 0)
      constraints.data.most = 1 + below(3);
    if (below(3) != 0)
      constraints.context.most = 1 + below(2);
    if (below(4) != 0 || isMixed) {
      std::vector<PlanAxis> order = Strategy().deviceOrder;
      if (!isMixed)
        std::shuffle(order.begin(), order.end(), random);
      else if (parts.attention) // The pipeline stays outermost.
        std::shuffle(order.begin(), order.end() - 1, random);
      constraints.deviceOrder = order;
    }
  }

  /// Most parameters may be kept split by some dimensions alone,
  /// or over some numbers of ranks.
  void makeSplits(std::mt19937_64 &other) {
    ParameterSplits splits;
    for (const Block &block : workload.blocks) {
      BlockSplits &own = splits.emplace_back(block.tensors.size());
      for (TensorIndex parameter : block.parameters)
        if (other() % 4 != 0)
          for (int64_t size : block.tensors[parameter].shape) {
            std::array<int64_t, 4> all = {0, 1, 2, size};
            own[parameter].push_back(all[other() % all.size()]);
          }
    }
    constraints.parameterSplits =
        std::make_shared<const ParameterSplits>(std::move(splits));
  }

  ModelParts parts;
  std::mt19937_64 random;
  int64_t parameters = 0;
};

} // namespace shardsmith::testing_search

#endif // SHARDSMITH_TEST_UNIT_PLAN_RANDOMINSTANCE_H
