// SPDX-License-Identifier: Apache-2.0

#include "BeamSearch.h"

#include "shardsmith/Support/StableSort.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace shardsmith::blocks {

using namespace workload;

namespace {

constexpr size_t beamWidth = 8;
constexpr double impossible = std::numeric_limits<double>::infinity();

bool hasLayout(const Tensor &tensor) {
  return tensor.role == TensorRole::Activation ||
         tensor.role == TensorRole::Parameter;
}

/// A hash of both, whose 64 bits are well spread.
uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

uint64_t numberOf(TensorLayout layout) {
  return uint64_t(layout.kind) << 32 | layout.dim;
}

uint64_t bitsOf(ReadingSet readings) {
  return uint64_t(readings.splitDims()) << 2 |
         uint64_t(readings.hasPartialGradient()) << 1 |
         uint64_t(readings.contains(Reading()));
}

uint64_t hashOfUse(TensorIndex tensor, std::optional<TensorLayout> from,
                   ReadingSet readings) {
  uint64_t hash = mix(0, tensor + 1);
  hash = mix(hash, from ? numberOf(*from) + 1 : 0);
  return mix(hash, bitsOf(readings) + 1);
}

} // namespace

BeamSearch::BeamSearch(std::span<const UnitCostModel *const> models,
                       const WeightedObjective &objective,
                       std::optional<TensorLayout> border)
    : models(models), model(*models.front()), block(model.block()),
      objective(objective), border(border), lastReader(block.tensors.size(), 0),
      known(block.tensors.size()) {
  for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor)
    layouts.push_back(model.shapes().layouts(tensor));
  if (border)
    for (const auto *tensors : {&block.inputs, &block.outputs})
      for (TensorIndex tensor : *tensors)
        layouts[tensor] = {std::ranges::count(layouts[tensor], *border)
                               ? *border
                               : TensorLayout::whole()};
  for (OpIndex op = 0; op < block.ops.size(); ++op)
    for (const TensorUse &use : block.ops[op].operands)
      lastReader[use.tensor] = op;
  std::set<TensorIndex> seen;
  for (OpIndex op = 0; op < block.ops.size(); ++op) {
    std::vector<TensorIndex> own;
    for (const auto *uses : {&block.ops[op].operands, &block.ops[op].results})
      for (const TensorUse &use : *uses)
        if (hasLayout(block.tensors[use.tensor]))
          own.push_back(use.tensor);
    std::vector<TensorIndex> &others = passing.emplace_back();
    for (TensorIndex tensor : seen)
      if (lastReader[tensor] > op && !std::ranges::count(own, tensor))
        others.push_back(tensor);
    seen.insert(own.begin(), own.end());
    std::erase_if(seen, [&](TensorIndex t) { return lastReader[t] <= op; });
  }
}

double BeamSearch::costOf(TensorIndex tensor, const Use &use,
                          TensorLayout kept) const {
  double cost = 0;
  for (const UnitCostModel *kind : models) {
    UnitCosts price = kind->read(tensor, kept, use.readings);
    price += kind->hold(tensor, kept);
    if (use.from)
      price += kind->store(tensor, *use.from, kept);
    cost += objective.of(price, kind == &model);
  }
  return cost;
}

double BeamSearch::costOf(OpIndex op, OpSplit split) const {
  double cost = 0;
  for (const UnitCostModel *kind : models)
    cost += objective.of(kind->op(op, split), kind == &model);
  return cost;
}

const BeamSearch::KeptUse &BeamSearch::keptUse(TensorIndex tensor,
                                               const Use &use) {
  for (const KeptUse &each : known[tensor])
    if (each.use == use)
      return each;
  KeptUse best{use, impossible, TensorLayout::whole()};
  auto offer = [&](TensorLayout kept) {
    double cost = costOf(tensor, use, kept);
    if (cost < best.cost) {
      best.cost = cost;
      best.kept = kept;
    }
  };
  if (block.tensors[tensor].role == TensorRole::Parameter)
    offer(model.shapes().parameterLayout(tensor, use.readings));
  else
    for (TensorLayout kept : layouts[tensor])
      offer(kept);
  return known[tensor].emplace_back(best);
}

BeamSearch::Uses BeamSearch::usesAfter(const Beam &beam, OpIndex op,
                                       OpSplit split) const {
  Uses uses;
  auto useOf = [&](TensorIndex tensor) -> Use * {
    if (!hasLayout(block.tensors[tensor]))
      return nullptr;
    auto found = std::ranges::find(uses, tensor, &Uses::value_type::first);
    if (found == uses.end())
      found = uses.insert(found, {tensor, beam.uses[tensor]});
    return &found->second;
  };
  const BlockShapes &shapes = model.shapes();
  for (unsigned i = 0; i < block.ops[op].operands.size(); ++i)
    if (Use *use = useOf(block.ops[op].operands[i].tensor))
      use->readings.insert(shapes.reading(op, split, i));
  for (unsigned i = 0; i < block.ops[op].results.size(); ++i)
    if (Use *use = useOf(block.ops[op].results[i].tensor))
      use->from = shapes.resultLayout(op, split, i);
  return uses;
}

uint64_t BeamSearch::hashOf(const Uses &uses, OpIndex op) const {
  uint64_t hash = 0;
  for (const auto &[tensor, use] : uses)
    if (lastReader[tensor] > op)
      hash += hashOfUse(tensor, use.from, use.readings);
  return hash;
}

uint64_t BeamSearch::hashOfOthers(const Beam &beam, OpIndex op) const {
  uint64_t hash = 0;
  for (TensorIndex tensor : passing[op])
    hash +=
        hashOfUse(tensor, beam.uses[tensor].from, beam.uses[tensor].readings);
  return hash;
}

BlockLayout BeamSearch::layoutOf(const Beam &beam) {
  BlockLayout layout = unsplitLayout(block);
  layout.ops = beam.splits;
  for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor)
    if (hasLayout(block.tensors[tensor]))
      layout.tensors[tensor] = keptUse(tensor, beam.uses[tensor]).kept;
  return layout;
}

std::optional<BlockLayout>
BeamSearch::run(const std::function<bool()> &mustStop) {
  std::vector<Beam> beams(1);
  beams.front().uses.resize(block.tensors.size());
  for (OpIndex op = 0; op < block.ops.size(); ++op) {
    if (mustStop && mustStop())
      return std::nullopt;
    std::vector<Step> steps;
    std::vector<uint64_t> others;
    for (const Beam &beam : beams)
      others.push_back(hashOfOthers(beam, op));
    for (OpSplit split : model.shapes().splits(op)) {
      double own = costOf(op, split);
      if (std::isinf(own))
        continue;
      for (size_t i = 0; i < beams.size(); ++i) {
        Uses uses = usesAfter(beams[i], op, split);
        double cost = beams[i].cost + own;
        for (const auto &[tensor, use] : uses) {
          const Use &before = beams[i].uses[tensor];
          cost += keptUse(tensor, use).cost;
          if (before != Use())
            cost -= keptUse(tensor, before).cost;
        }
        if (!std::isinf(cost) && !std::isnan(cost))
          steps.push_back({i, split, cost, others[i] + hashOf(uses, op)});
      }
    }
    stableSortBy(steps, &Step::cost);
    std::vector<Beam> next;
    std::set<uint64_t> left;
    for (const Step &step : steps) {
      if (next.size() == beamWidth)
        break;
      if (!left.insert(step.left).second)
        continue;
      Beam &beam = next.emplace_back(beams[step.beam]);
      beam.cost = step.cost;
      for (const auto &[tensor, use] : usesAfter(beam, op, step.split))
        beam.uses[tensor] = use;
      beam.splits.push_back(step.split);
    }
    beams = std::move(next);
    if (beams.empty())
      return std::nullopt;
  }
  return layoutOf(beams.front());
}

} // namespace shardsmith::blocks
