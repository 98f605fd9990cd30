// SPDX-License-Identifier: Apache-2.0

#include "BlockBuilder.h"

#include "FusedOp.h"
#include "Fusible.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Workload/ElementTypes.h"

using namespace mlir;

namespace shardsmith::workload {

BlockBuilder::BlockBuilder(const ModelGraph &graph, const UnitBody &body,
                           const AttentionMap &attentions, bool keepsMap)
    : graph(graph), body(body), attentions(attentions), keepsMap(keepsMap) {
  outputs.insert(body.outputs.begin(), body.outputs.end());
  for (Operation *op : body.ops)
    for (Value operand : op->getOperands())
      readers[sourceOf(graph, operand).root].insert(op);
}

BuiltBlock BlockBuilder::run() {
  findNarrowTypes();
  Block &block = result.block;
  for (Value input : body.inputs)
    block.inputs.push_back(tensorOf(input));
  for (const OpGroup &group :
       formGroups(graph, body.ops, attentions, body.outputs))
    emit(group);
  for (Value output : body.outputs)
    block.outputs.push_back(tensorOf(output));
  repeatSteps();
  if (keepsMap)
    mapTensors();
  return std::move(result);
}

void BlockBuilder::mapTensors() {
  for (auto [value, tensor] : tensors) {
    MappedTensor &mapped = result.mappedTensors.emplace_back();
    mapped.value = value;
    mapped.tensor = tensor;
    for (unsigned dim = 0; dim < graph.leavesOf(value).size(); ++dim)
      mapped.dims.push_back(dim);
  }
  llvm::sort(result.mappedTensors,
             [](const MappedTensor &a, const MappedTensor &b) {
               return a.tensor < b.tensor;
             });
}

/// The widest type that readers of the value need, through views: each needs
/// the narrowest type on its way. Null if something else is read of it.
static Type typeForAllReaders(const ModelGraph &graph, Value value) {
  Type widest;
  SmallVector<std::pair<Value, Type>> ways = {
      {value, getElementTypeOrSelf(value.getType())}};
  auto width = [](Type type) {
    return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64u;
  };
  while (!ways.empty()) {
    auto [view, narrowest] = ways.pop_back_val();
    for (Operation *reader : view.getUsers()) {
      if (!graph.isLive(reader))
        continue;
      if (isView(reader) && !graph.isMaterialized(reader)) {
        Value next = reader->getResult(0);
        Type type = getElementTypeOrSelf(next.getType());
        ways.push_back(
            {next, width(type) < width(narrowest) ? type : narrowest});
      } else if (!widest || width(narrowest) > width(widest)) {
        widest = narrowest;
      }
    }
  }
  return widest;
}

/// A result that every reader converts to a narrower type is written in it.
/// What a function takes and returns has the type it is declared with.
void BlockBuilder::findNarrowTypes() {
  DenseMap<Value, unsigned> widest;
  for (Operation *op : body.ops)
    for (Value operand : op->getOperands()) {
      Source source = sourceOf(graph, operand);
      unsigned &known = widest[source.root];
      if (source.narrowest <= known)
        continue;
      known = source.narrowest;
      narrowTypes[source.root] = source.narrowestType;
    }
  for (auto *boundary : {&body.inputs, &body.outputs})
    for (Value value : *boundary) {
      narrowTypes.erase(value);
      Operation *op = value.getDefiningOp();
      bool isDeclared = !op || graph.calleeOf(op) ||
                        graph.isLayerBoundary(value) ||
                        op->getParentOp() != graph.getMain().getOperation();
      if (isDeclared)
        continue;
      if (Type type = typeForAllReaders(graph, value))
        narrowTypes[value] = type;
    }
}

TensorIndex BlockBuilder::tensorOf(Value root) {
  auto [entry, isNew] = tensors.try_emplace(root, result.block.tensors.size());
  if (!isNew)
    return entry->second;
  Tensor tensor;
  for (const Leaf &leaf : graph.leavesOf(root))
    tensor.shape.push_back(graph.normalizedSize(leaf));
  Type type = getElementTypeOrSelf(root.getType());
  switch (graph.originOf(root)) {
  case Origin::Constant:
    tensor.role = TensorRole::Constant;
    break;
  case Origin::Data:
    tensor.role = TensorRole::Batch;
    result.data.push_back({entry->second, root});
    break;
  case Origin::Parameter:
    tensor.role = TensorRole::Parameter;
    result.block.parameters.push_back(entry->second);
    result.parameters.push_back(root);
    break;
  case Origin::Activation:
    if (Type narrow = narrowTypes.lookup(root))
      type = narrow;
    break;
  }
  tensor.type = elementTypeOf(type);
  result.block.tensors.push_back(std::move(tensor));
  return entry->second;
}

void BlockBuilder::setSaved(Value value) {
  Value root = sourceOf(graph, value).root;
  if (graph.originOf(root) == Origin::Activation)
    result.block.tensors[tensorOf(root)].savedForBackward = true;
}

void BlockBuilder::emit(const OpGroup &group) {
  if (group.attention)
    return emitAttention(*group.attention);
  if (group.isFused) {
    FusedOpBuilder(*this, group).run();
    return;
  }
  Operation *op = group.ops.front();
  if (smith::getMarkedLoop(op))
    return emitMarker(op);
  if (isProductOfTwo(op))
    return emitProduct(op, {.isPerExpert = groupDimensionOf(op).has_value()});
  if (isa<stablehlo::GatherOp>(op)) {
    std::optional<ExchangeParts> exchange = exchangeOfGather(op);
    return exchange ? emitExchange(op, *exchange) : emitLookup(op);
  }
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op)) {
    Value indices = scatter.getScatterIndices();
    if (scatter.getInputs().size() == 1 &&
        graph.originOf(indices) == Origin::Activation)
      return emitExchange(op, {.isToExperts = false});
  }
  emitStandalone(op);
}

BuiltBlock buildBlock(const ModelGraph &graph, const UnitBody &body,
                      const AttentionMap &attentions, bool keepsMap) {
  return BlockBuilder(graph, body, attentions, keepsMap).run();
}

} // namespace shardsmith::workload
