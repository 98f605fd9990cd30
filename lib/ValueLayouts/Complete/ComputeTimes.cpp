// SPDX-License-Identifier: Apache-2.0
//
// What one op of a train step takes on one device.

#include "StepProblem.h"

#include "shardsmith/Sharding/HaloExchange.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardsmith::plan {
namespace {

/// The part of `bytes` that the tensors which count have of all tensors.
Bytes scaledTo(const std::vector<bool> &counts, Bytes bytes,
               ArrayRef<RankedTensorType> types) {
  Bytes all, inMemory;
  for (auto [type, isCounted] : llvm::zip_equal(types, counts)) {
    Bytes size =
        getTensorBytes(type.getShape(), getElementBytes(type.getElementType()));
    all += size;
    if (isCounted)
      inMemory += size;
  }
  if (all == inMemory || all == Bytes(0))
    return bytes;
  return Bytes(int64_t(double(bytes.count()) * double(inMemory.count()) /
                       double(all.count())));
}

SmallVector<RankedTensorType> localTypes(const StepGraph &graph,
                                         ArrayRef<unsigned> values,
                                         ArrayRef<unsigned> layouts,
                                         const LayoutPool &pool,
                                         const MeshTimes &costs) {
  SmallVector<RankedTensorType> types;
  for (auto [value, layout] : llvm::zip_equal(values, layouts)) {
    RankedTensorType type = graph.values[value].type;
    types.push_back(RankedTensorType::get(
        getLocalShape(costs.getMesh(), type.getShape(), pool[layout]),
        type.getElementType()));
  }
  return types;
}

} // namespace

Nanoseconds getComputeTime(const StepGraph &graph, const StepNode &node,
                           const Strategy &strategy, const LayoutPool &pool,
                           const MeshTimes &costs) {
  auto operands =
      localTypes(graph, node.operands, strategy.operands, pool, costs);
  auto results = localTypes(graph, node.results, strategy.results, pool, costs);
  OpWork work = getWorkOf(node.op, operands, results);
  if (work.kind == OpWork::Kind::Elementwise) {
    std::vector<bool> isRead = node.readsMemory, isWritten;
    for (auto [operand, value] : llvm::enumerate(node.operands))
      isRead[operand] = isRead[operand] && graph.values[value].inMemory;
    for (unsigned value : node.results)
      isWritten.push_back(graph.values[value].inMemory);
    work.read = scaledTo(isRead, work.read, operands);
    work.written = scaledTo(isWritten, work.written, results);
  }
  Type element;
  if (!results.empty())
    element = results.front().getElementType();
  if (work.kind == OpWork::Kind::Matmul || !element)
    element = operands.front().getElementType();
  Nanoseconds time = costs.kernel(work, element);
  if (!work.ring)
    return time;
  return time * work.ring->turns(costs.getMesh().countShards(
                    strategy.axes.factors[work.ring->factor]));
}

/// The elements of one operand dimension that shards need of each other.
/// `shape` is that of the operand on one device, and becomes that of what the
/// device computes from.
static void addHaloMessages(const Neighbourhood &neighbourhood, FactorKind kind,
                            ArrayRef<MeshAxis> axes, int64_t elementBytes,
                            const MeshTimes &costs,
                            SmallVectorImpl<int64_t> &shape,
                            SmallVectorImpl<OpMessages> &all) {
  HaloExchange exchange =
      planHaloExchange(neighbourhood, kind, costs.getMesh().countShards(axes));
  auto add = [&](CollectiveKind collective, int64_t size) {
    SmallVector<int64_t> sent(shape.begin(), shape.end());
    sent[neighbourhood.dimension] = size;
    Bytes input = getTensorBytes(sent, elementBytes);
    Bytes counted = getCommunicationBytes(collective, exchange.shards, input);
    all.push_back({collective, AxisList(axes), 1, counted,
                   costs.collective(collective, axes, input)});
  };
  if (exchange.gathers)
    add(CollectiveKind::AllGather, exchange.shardSize);
  for (const HaloMessage &message : exchange.messages)
    if (message.communicates)
      add(CollectiveKind::Permute, message.size);
  shape[neighbourhood.dimension] = exchange.size;
}

static void addHaloMessages(const StepGraph &graph, const StepNode &node,
                            const Strategy &strategy, const LayoutPool &pool,
                            const MeshTimes &costs,
                            SmallVectorImpl<OpMessages> &all) {
  Neighbourhoods neighbourhoods = getNeighbourhoods(node.op);
  if (neighbourhoods.empty())
    return;
  auto types = localTypes(graph, node.operands, strategy.operands, pool, costs);
  SmallVector<SmallVector<int64_t>> shapes;
  for (RankedTensorType type : types)
    shapes.emplace_back(type.getShape());
  for (const Neighbourhood &each : neighbourhoods)
    if (const AxisList &axes = strategy.axes.factors[each.factor];
        !axes.empty())
      addHaloMessages(each, node.rule->factors[each.factor].kind, axes,
                      getElementBytes(types[each.operand].getElementType()),
                      costs, shapes[each.operand], all);
}

SmallVector<OpMessages, 0> getOpMessages(const StepGraph &graph,
                                         const StepNode &node,
                                         const Strategy &strategy,
                                         const LayoutPool &pool,
                                         const MeshTimes &costs) {
  SmallVector<OpMessages, 0> all;
  addHaloMessages(graph, node, strategy, pool, costs, all);
  OpWork work = getWorkOf(
      node.op, localTypes(graph, node.operands, strategy.operands, pool, costs),
      localTypes(graph, node.results, strategy.results, pool, costs));
  if (!work.ring || strategy.axes.factors[work.ring->factor].empty())
    return all;
  const AxisList &axes = strategy.axes.factors[work.ring->factor];
  int64_t count = costs.getMesh().countShards(axes) - 1;
  all.push_back(
      {CollectiveKind::Permute, axes, count, work.ring->message,
       costs.collective(CollectiveKind::Permute, axes, work.ring->message) *
           count});
  return all;
}

} // namespace shardsmith::plan
