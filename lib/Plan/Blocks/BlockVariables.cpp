// SPDX-License-Identifier: Apache-2.0

#include "BlockVariables.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace shardsmith::blocks {

using namespace workload;

bool BlockVariables::Readings::allows(Reading reading, unsigned reader) const {
  if (firsts.empty())
    return set.contains(reading);
  auto own = std::ranges::find(firsts, reader, &First::reader);
  if (own != firsts.end())
    return own->reading == reading;
  auto found = std::ranges::find(firsts, reading, &First::reading);
  return found != firsts.end() && found->reader < reader;
}

BlockVariables::BlockVariables(const Block &block, const BlockShapes &shapes,
                               bool repeatable, ReadingSets sets,
                               TableScopes &scopes)
    : block(block), shapes(shapes), repeatable(repeatable),
      tensors(block.tensors.size()) {
  addOps(scopes);
  for (TensorIndex tensor = 0; tensor < tensors.size(); ++tensor)
    tensors[tensor].layouts = shapes.layouts(tensor);
  addSets(sets, scopes);
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

void BlockVariables::addSets(ReadingSets kind, TableScopes &scopes) {
  for (TensorIndex tensor = 0; tensor < tensors.size(); ++tensor) {
    TensorVariables &variables = tensors[tensor];
    if (variables.readers.size() < 2 || !hasLayout(tensor))
      continue;
    addSetsOf(variables, kind);
    variables.set = scopes.addVariable(variables.sets.size());
  }
}

void BlockVariables::addSetsOf(TensorVariables &tensor,
                               ReadingSets kind) const {
  // The readings of each reader, and those of all of them.
  std::vector<std::vector<Reading>> readings(tensor.readers.size());
  std::vector<Reading> all;
  auto add = [](std::vector<Reading> &to, Reading reading) {
    if (!std::ranges::count(to, reading))
      to.push_back(reading);
  };
  for (size_t i = 0; i < readings.size(); ++i) {
    auto [op, operand] = tensor.readers[i];
    for (OpSplit split : opSplits[op]) {
      Reading reading = shapes.reading(op, split, operand);
      add(readings[i], reading);
      add(all, reading);
    }
  }
  if (kind == ReadingSets::AtLeastThoseRead) {
    for (uint32_t bits = 1; bits < uint32_t(1) << all.size(); ++bits) {
      if (size_t(std::popcount(bits)) > readings.size())
        continue;
      Readings &some = tensor.sets.emplace_back();
      for (size_t i = 0; i < all.size(); ++i)
        if (bits >> i & 1)
          some.set.insert(all[i]);
    }
    return;
  }
  Readings some;
  std::function<void(unsigned)> choose = [&](unsigned reader) {
    if (reader == readings.size()) {
      tensor.sets.push_back(some);
      return;
    }
    // Reads what others have read before, or something new.
    if (reader > 0)
      choose(reader + 1);
    for (Reading reading : readings[reader])
      if (!some.set.contains(reading)) {
        Readings before = some;
        some.set.insert(reading);
        some.firsts.push_back({reading, reader});
        choose(reader + 1);
        some = before;
      }
  };
  choose(0);
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
    use.readings = variables.sets[values[*variables.set]].set;
  } else if (!variables.readers.empty()) {
    auto [op, operand] = variables.readers[0];
    use.readings.insert(readingOf(op, operand, values));
  }
  if (block.tensors[tensor].role == TensorRole::Parameter)
    use.kept = shapes.parameterLayout(tensor, use.readings);
  else if (variables.layout)
    use.kept = variables.layouts[values[*variables.layout]];
  return use;
}

std::vector<BlockVariables::Reader>
BlockVariables::readersOf(TensorIndex tensor) const {
  std::vector<Reader> readers;
  if (auto set = tensors[tensor].set)
    for (auto [op, operand] : tensors[tensor].readers)
      readers.push_back({op, operand, unsigned(readers.size()), *set});
  return readers;
}

bool BlockVariables::finds(TensorIndex tensor, const Reader &reader,
                           const Values &values) const {
  return tensors[tensor].sets[values[reader.set]].allows(
      readingOf(reader.op, reader.operand, values), reader.place);
}

} // namespace shardsmith::blocks
