// SPDX-License-Identifier: Apache-2.0

#include "BlockVariables.h"

#include <algorithm>
#include <bit>

namespace shardsmith::blocks {

using namespace workload;

namespace {

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

} // namespace

BlockVariables::BlockVariables(const Block &block, const BlockShapes &shapes,
                               bool repeatable, TableScopes &scopes)
    : block(block), shapes(shapes), repeatable(repeatable),
      tensors(block.tensors.size()) {
  addOps(scopes);
  for (TensorIndex tensor = 0; tensor < tensors.size(); ++tensor)
    tensors[tensor].layouts = shapes.layouts(tensor);
  addSets(scopes);
  addBorders(scopes);
}

void BlockVariables::addOps(TableScopes &scopes) {
  for (OpIndex op = 0; op < block.ops.size(); ++op) {
    opSplits.push_back(shapes.splits(op));
    scopes.addVariable(opSplits[op].size());
    for (unsigned i = 0; i < block.ops[op].operands.size(); ++i)
      tensors[block.ops[op].operands[i].tensor].readers.push_back({op, i});
    for (unsigned i = 0; i < block.ops[op].results.size(); ++i) {
      TensorVariables &result = tensors[block.ops[op].results[i].tensor];
      result.producer = op;
      result.result = i;
    }
  }
}

void BlockVariables::addSets(TableScopes &scopes) {
  for (TensorIndex tensor = 0; tensor < tensors.size(); ++tensor) {
    TensorVariables &variables = tensors[tensor];
    if (variables.readers.size() < 2 || !hasLayout(tensor))
      continue;
    std::vector<Reading> readings;
    for (auto [op, operand] : variables.readers)
      for (OpSplit split : opSplits[op])
        if (Reading reading = shapes.reading(op, split, operand);
            !std::ranges::count(readings, reading))
          readings.push_back(reading);
    variables.sets = setsOf(readings, variables.readers.size());
    variables.set = scopes.addVariable(variables.sets.size());
  }
}

void BlockVariables::addBorder(TensorIndex tensor, TableScopes &scopes) {
  TensorVariables &variables = tensors[tensor];
  if (variables.layout)
    return;
  variables.layout = scopes.addVariable(variables.layouts.size());
  borderVariables.push_back(*variables.layout);
}

void BlockVariables::addBorders(TableScopes &scopes) {
  for (size_t i = 0; i < block.inputs.size(); ++i) {
    addBorder(block.inputs[i], scopes);
    if (!repeatable || i >= block.outputs.size())
      continue;
    TensorVariables &output = tensors[block.outputs[i]];
    if (!output.layout && output.layouts == tensors[block.inputs[i]].layouts)
      output.layout = tensors[block.inputs[i]].layout;
  }
  for (TensorIndex output : block.outputs)
    addBorder(output, scopes);
}

bool BlockVariables::isPossible(const Values &borderValues) const {
  auto layoutOf = [&](TensorIndex tensor) {
    const TensorVariables &border = tensors[tensor];
    return border.layouts[borderValues[*border.layout]];
  };
  return !repeatable || std::ranges::equal(block.inputs, block.outputs, {},
                                           layoutOf, layoutOf);
}

bool BlockVariables::hasLayout(TensorIndex tensor) const {
  TensorRole role = block.tensors[tensor].role;
  return role == TensorRole::Activation || role == TensorRole::Parameter;
}

std::vector<Variable> BlockVariables::scopeOf(TensorIndex tensor) const {
  const TensorVariables &variables = tensors[tensor];
  std::vector<Variable> scope;
  if (variables.producer)
    scope.push_back(Variable(*variables.producer));
  if (variables.set)
    scope.push_back(*variables.set);
  else if (!variables.readers.empty())
    scope.push_back(Variable(variables.readers[0].first));
  if (variables.layout)
    scope.push_back(*variables.layout);
  return scope;
}

Reading BlockVariables::readingOf(OpIndex op, unsigned operand,
                                  const Values &values) const {
  return shapes.reading(op, opSplits[op][values[op]], operand);
}

BlockVariables::Use BlockVariables::useOf(TensorIndex tensor,
                                          const Values &values) const {
  const TensorVariables &variables = tensors[tensor];
  Use use;
  if (auto op = variables.producer)
    use.from =
        shapes.resultLayout(*op, opSplits[*op][values[*op]], variables.result);
  if (variables.set) {
    use.readings = variables.sets[values[*variables.set]];
  } else if (!variables.readers.empty()) {
    auto [op, operand] = variables.readers[0];
    use.readings.insert(readingOf(op, operand, values));
  }
  if (block.tensors[tensor].role == TensorRole::Parameter)
    use.kept = BlockShapes::parameterLayout(use.readings);
  else if (variables.layout)
    use.kept = variables.layouts[values[*variables.layout]];
  return use;
}

std::vector<BlockVariables::Reader>
BlockVariables::readersOf(TensorIndex tensor) const {
  std::vector<Reader> readers;
  if (auto set = tensors[tensor].set)
    for (auto [op, operand] : tensors[tensor].readers)
      readers.push_back({op, operand, *set});
  return readers;
}

bool BlockVariables::finds(TensorIndex tensor, const Reader &reader,
                           const Values &values) const {
  return tensors[tensor].sets[values[reader.set]].contains(
      readingOf(reader.op, reader.operand, values));
}

} // namespace shardsmith::blocks
