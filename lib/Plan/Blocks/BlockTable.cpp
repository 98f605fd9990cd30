// SPDX-License-Identifier: Apache-2.0
//
// The decisions of a block as variables, its costs as tables over them:
//
//   split of op o                  one variable
//   layout of input or output t    one variable, never eliminated; the same
//                                  one for both where the block repeats
//   readings of tensor t           one variable if it has several readers: the
//                                  set of layouts in which it is available.
//                                  Readers must find theirs in it.
//
// Where a tensor is kept inside the block is decided within the table of its
// producer and reader, since nothing else depends on it.

#include "shardsmith/Plan/BlockTable.h"
#include "FrontTable.h"

#include <algorithm>
#include <bit>

namespace shardsmith {

using namespace workload;
using namespace blocks;

namespace {

class BlockTableBuilder {
public:
  explicit BlockTableBuilder(const UnitCostModel &model)
      : model(model), block(model.block()), shapes(model.shapes()),
        grains(model), tensors(block.tensors.size()) {}

  std::vector<BlockEntry> run(bool repeatable);

private:
  struct TensorVariables {
    std::optional<OpIndex> producer;
    unsigned result = 0;
    std::vector<std::pair<OpIndex, unsigned>> readers;
    std::vector<TensorLayout> layouts;
    std::optional<Variable> layout;
    /// Sets of readings to choose from, where there are several readers.
    std::vector<ReadingSet> sets;
    std::optional<Variable> set;
  };

  /// What the decisions behind a point are about: the split of an op, or the
  /// layout in which a tensor is kept.
  uint32_t topic(OpIndex op) const { return op; }
  uint32_t keptTopic(TensorIndex tensor) const {
    return uint32_t(block.ops.size()) + tensor;
  }

  void makeVariables(bool repeatable);
  void makeBorderVariable(TensorIndex tensor);
  void addOp(OpIndex op);
  void addTensor(TensorIndex tensor);
  /// Lets an op read its operand only in one of the layouts it is available
  /// in.
  void addReader(TensorIndex tensor, OpIndex op, unsigned operand);
  /// What it costs to make the tensor in `from`, keep it in `kept`, and read
  /// it.
  Point point(TensorIndex tensor, std::optional<TensorLayout> from,
              TensorLayout kept, ReadingSet readings);
  BlockEntry entryOf(const Point &point);
  /// Finishes the points and adds those that no other one is better than,
  /// fastest first.
  void addEntries(const Front &points, std::vector<BlockEntry> &entries);

  const UnitCostModel &model;
  const Block &block;
  const BlockShapes &shapes;
  Grains grains;
  FrontSum sum;
  std::vector<std::vector<OpSplit>> splits;
  std::vector<TensorVariables> tensors;
  /// Of inputs and outputs, each once.
  std::vector<Variable> borderVariables;
};

/// All sets of one to `most` of the readings.
std::vector<ReadingSet> setsOf(const std::vector<Reading> &readings,
                               size_t most) {
  std::vector<ReadingSet> sets;
  for (uint32_t bits = 1; bits < uint32_t(1) << readings.size(); ++bits) {
    if (size_t(std::popcount(bits)) > most)
      continue;
    ReadingSet set;
    for (size_t i = 0; i < readings.size(); ++i)
      if (bits >> i & 1)
        set.insert(readings[i]);
    sets.push_back(set);
  }
  return sets;
}

void BlockTableBuilder::makeBorderVariable(TensorIndex tensor) {
  TensorVariables &variables = tensors[tensor];
  if (variables.layout)
    return;
  variables.layout = sum.addVariable(variables.layouts.size());
  borderVariables.push_back(*variables.layout);
}

void BlockTableBuilder::makeVariables(bool repeatable) {
  for (OpIndex op = 0; op < block.ops.size(); ++op) {
    splits.push_back(shapes.splits(op));
    sum.addVariable(splits[op].size());
    for (unsigned i = 0; i < block.ops[op].operands.size(); ++i)
      tensors[block.ops[op].operands[i].tensor].readers.push_back({op, i});
    for (unsigned i = 0; i < block.ops[op].results.size(); ++i) {
      TensorVariables &result = tensors[block.ops[op].results[i].tensor];
      result.producer = op;
      result.result = i;
    }
  }
  for (TensorIndex tensor = 0; tensor < tensors.size(); ++tensor) {
    TensorVariables &variables = tensors[tensor];
    variables.layouts = shapes.layouts(tensor);
    TensorRole role = block.tensors[tensor].role;
    if (variables.readers.size() < 2 ||
        (role != TensorRole::Activation && role != TensorRole::Parameter))
      continue;
    std::vector<Reading> readings;
    for (auto [op, operand] : variables.readers)
      for (OpSplit split : splits[op])
        if (Reading reading = shapes.reading(op, split, operand);
            !std::ranges::count(readings, reading))
          readings.push_back(reading);
    variables.sets = setsOf(readings, variables.readers.size());
    variables.set = sum.addVariable(variables.sets.size());
  }
  for (size_t i = 0; i < block.inputs.size(); ++i) {
    makeBorderVariable(block.inputs[i]);
    if (!repeatable || i >= block.outputs.size())
      continue;
    TensorVariables &output = tensors[block.outputs[i]];
    if (!output.layout && output.layouts == tensors[block.inputs[i]].layouts)
      output.layout = tensors[block.inputs[i]].layout;
  }
  for (TensorIndex output : block.outputs)
    makeBorderVariable(output);
}

void BlockTableBuilder::addOp(OpIndex op) {
  size_t table = sum.addTable({op});
  for (uint32_t i = 0; i < splits[op].size(); ++i) {
    const UnitCosts &costs = model.op(op, splits[op][i]);
    if (!costs.forward.isSaturated())
      sum.front(table, {i})
          .offer({CostVector::ofPart(costs, grains),
                  sum.decisions().leaf({topic(op), i})});
  }
}

void BlockTableBuilder::addReader(TensorIndex tensor, OpIndex op,
                                  unsigned operand) {
  const TensorVariables &variables = tensors[tensor];
  size_t table = sum.addTable({op, *variables.set});
  for (uint32_t i = 0; i < splits[op].size(); ++i) {
    Reading reading = shapes.reading(op, splits[op][i], operand);
    for (uint32_t set = 0; set < variables.sets.size(); ++set)
      if (variables.sets[set].contains(reading))
        sum.front(table, {i, set}).offer({});
  }
}

Point BlockTableBuilder::point(TensorIndex tensor,
                               std::optional<TensorLayout> from,
                               TensorLayout kept, ReadingSet readings) {
  UnitCosts costs =
      model.read(tensor, kept, readings) + model.hold(tensor, kept);
  if (from)
    costs = costs + model.store(tensor, *from, kept);
  const std::vector<TensorLayout> &layouts = tensors[tensor].layouts;
  auto value = std::ranges::find(layouts, kept) - layouts.begin();
  return {CostVector::ofPart(costs, grains),
          sum.decisions().leaf({keptTopic(tensor), uint32_t(value)})};
}

// The table is over any of: the producer's split, the reader's split or the
// set of readings, the layout at the border.
void BlockTableBuilder::addTensor(TensorIndex tensor) {
  const TensorVariables &variables = tensors[tensor];
  bool isParameter = block.tensors[tensor].role == TensorRole::Parameter;
  std::vector<Variable> scope;
  if (variables.producer)
    scope.push_back(*variables.producer);
  if (variables.set)
    scope.push_back(*variables.set);
  else if (!variables.readers.empty())
    scope.push_back(variables.readers[0].first);
  if (variables.layout)
    scope.push_back(*variables.layout);
  size_t table = sum.addTable(scope);

  std::vector<uint32_t> values(scope.size(), 0);
  do {
    size_t next = 0;
    std::optional<TensorLayout> from;
    if (variables.producer)
      from = shapes.resultLayout(*variables.producer,
                                 splits[*variables.producer][values[next++]],
                                 variables.result);
    ReadingSet readings;
    if (variables.set) {
      readings = variables.sets[values[next++]];
    } else if (!variables.readers.empty()) {
      auto [op, operand] = variables.readers[0];
      readings.insert(shapes.reading(op, splits[op][values[next++]], operand));
    }
    Front &front = sum.front(table, values);
    if (isParameter)
      front.offer(point(tensor, from, BlockShapes::parameterLayout(readings),
                        readings));
    else if (variables.layout)
      front.offer(
          point(tensor, from, variables.layouts[values[next]], readings));
    else
      for (TensorLayout kept : variables.layouts)
        front.offer(point(tensor, from, kept, readings));
  } while (sum.advance(scope, values));
}

BlockEntry BlockTableBuilder::entryOf(const Point &point) {
  BlockEntry entry;
  entry.layout = unsplitLayout(block);
  std::vector<ReadingSet> readings(tensors.size());
  sum.decisions().visit(point.decisions, [&](Decision decision) {
    if (decision.topic < block.ops.size())
      entry.layout.ops[decision.topic] = splits[decision.topic][decision.value];
    else if (TensorIndex tensor = decision.topic - uint32_t(block.ops.size());
             decision.value < tensors[tensor].layouts.size())
      entry.layout.tensors[tensor] = tensors[tensor].layouts[decision.value];
  });
  for (OpIndex op = 0; op < block.ops.size(); ++op)
    for (unsigned i = 0; i < block.ops[op].operands.size(); ++i)
      readings[block.ops[op].operands[i].tensor].insert(
          shapes.reading(op, entry.layout.ops[op], i));
  for (TensorIndex parameter : block.parameters)
    entry.layout.tensors[parameter] =
        BlockShapes::parameterLayout(readings[parameter]);
  for (TensorIndex input : block.inputs)
    entry.inputs.push_back(entry.layout.tensors[input]);
  for (TensorIndex output : block.outputs)
    entry.outputs.push_back(entry.layout.tensors[output]);
  entry.costs = model.price(entry.layout);
  return entry;
}

// The launch floor makes some points equal that were not.
void BlockTableBuilder::addEntries(const Front &points,
                                   std::vector<BlockEntry> &entries) {
  std::vector<BlockEntry> all;
  Front finished;
  DecisionPool positions;
  for (const Point &point : points) {
    all.push_back(entryOf(point));
    finished.offer({point.cost.withTimesOf(all.back().costs),
                    positions.leaf({0, uint32_t(all.size() - 1)})});
  }
  std::vector<Point> left(finished.begin(), finished.end());
  std::ranges::sort(left, {}, &Point::cost);
  for (const Point &point : left)
    positions.visit(point.decisions, [&](Decision decision) {
      entries.push_back(std::move(all[decision.value]));
    });
}

std::vector<BlockEntry> BlockTableBuilder::run(bool repeatable) {
  makeVariables(repeatable);
  for (OpIndex op = 0; op < block.ops.size(); ++op)
    addOp(op);
  for (TensorIndex tensor = 0; tensor < tensors.size(); ++tensor) {
    TensorRole role = block.tensors[tensor].role;
    if (role != TensorRole::Activation && role != TensorRole::Parameter)
      continue;
    addTensor(tensor);
    if (tensors[tensor].set)
      for (auto [op, operand] : tensors[tensor].readers)
        addReader(tensor, op, operand);
  }
  sum.eliminateAllBut(borderVariables);

  std::vector<BlockEntry> entries;
  std::vector<uint32_t> values(borderVariables.size(), 0);
  do {
    auto layoutOf = [&](TensorIndex tensor) {
      auto place = std::ranges::find(borderVariables, *tensors[tensor].layout);
      return tensors[tensor].layouts[values[place - borderVariables.begin()]];
    };
    if (repeatable && !std::ranges::equal(block.inputs, block.outputs, {},
                                          layoutOf, layoutOf))
      continue;
    addEntries(sum.total(borderVariables, values), entries);
  } while (sum.advance(borderVariables, values));
  std::ranges::sort(entries, {}, [](const BlockEntry &entry) {
    return std::tie(entry.inputs, entry.outputs);
  });
  return entries;
}

} // namespace

std::vector<BlockEntry> blockTable(const UnitCostModel &model,
                                   bool repeatable) {
  return BlockTableBuilder(model).run(repeatable);
}

} // namespace shardsmith
