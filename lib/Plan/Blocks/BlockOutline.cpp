// SPDX-License-Identifier: Apache-2.0

#include "BlockOutline.h"
#include "BlockSum.h"

#include <algorithm>

namespace shardsmith::blocks {

using namespace workload;

namespace {

size_t product(const std::vector<Variable> &scope,
               const std::vector<size_t> &sizes) {
  size_t count = 1;
  for (Variable variable : scope)
    count *= sizes[variable];
  return count;
}

/// The place of `value` in `values`, at the end if it is new.
template <typename Value>
size_t placeIn(std::vector<Value> &values, const Value &value) {
  auto place = std::ranges::find(values, value);
  if (place == values.end())
    place = values.insert(place, value);
  return size_t(place - values.begin());
}

} // namespace

/// Does what `BlockSum` and `TableSum` do, but for the numbers.
class BlockOutline::Builder {
public:
  Builder(BlockOutline &outline, const Block &block, const BlockShapes &shapes,
          bool repeatable)
      : outline(outline), block(block), shapes(shapes), repeatable(repeatable),
        variables(block.tensors.size()) {}

  void run() {
    makeVariables();
    for (OpIndex op = 0; op < block.ops.size(); ++op) {
      addTable({Variable(op)});
      for (OpSplit split : splits[op])
        outline.ops.push_back({op, split});
    }
    for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor) {
      if (!hasLayout(tensor))
        continue;
      addTensor(tensor);
      if (variables[tensor].set)
        for (auto [op, operand] : variables[tensor].readers)
          addReader(tensor, op, operand);
    }
    eliminate();
    addBorders();
    outline.entryCount = entryCount;
  }

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
  struct Table {
    /// The last one varies fastest.
    std::vector<Variable> scope;
    size_t begin;
    bool isOpen = true;
  };

  bool hasLayout(TensorIndex tensor) const {
    TensorRole role = block.tensors[tensor].role;
    return role == TensorRole::Activation || role == TensorRole::Parameter;
  }

  Variable addVariable(size_t size) {
    sizes.push_back(size);
    return Variable(sizes.size() - 1);
  }

  /// Returns its first entry.
  size_t addTable(std::vector<Variable> scope) {
    size_t begin = entryCount;
    entryCount += product(scope, sizes);
    tables.push_back({std::move(scope), begin});
    return begin;
  }

  /// Calls `visit(values)` for all values of the variables, the last one
  /// fastest.
  template <typename Visit>
  void eachValue(const std::vector<Variable> &scope, Visit visit) const {
    std::vector<size_t> values(scope.size(), 0);
    for (size_t count = product(scope, sizes); count > 0; --count) {
      visit(values);
      for (size_t i = scope.size(); i-- > 0;) {
        if (++values[i] < sizes[scope[i]])
          break;
        values[i] = 0;
      }
    }
  }

  void makeBorderVariable(TensorIndex tensor) {
    TensorVariables &border = variables[tensor];
    if (border.layout)
      return;
    border.layout = addVariable(border.layouts.size());
    borders.push_back(*border.layout);
  }

  void makeVariables() {
    for (OpIndex op = 0; op < block.ops.size(); ++op) {
      splits.push_back(shapes.splits(op));
      addVariable(splits[op].size());
      for (unsigned i = 0; i < block.ops[op].operands.size(); ++i)
        variables[block.ops[op].operands[i].tensor].readers.push_back({op, i});
      for (unsigned i = 0; i < block.ops[op].results.size(); ++i) {
        TensorVariables &result = variables[block.ops[op].results[i].tensor];
        result.producer = op;
        result.result = i;
      }
    }
    for (TensorIndex tensor = 0; tensor < variables.size(); ++tensor) {
      TensorVariables &each = variables[tensor];
      each.layouts = shapes.layouts(tensor);
      if (each.readers.size() < 2 || !hasLayout(tensor))
        continue;
      std::vector<Reading> readings;
      for (auto [op, operand] : each.readers)
        for (OpSplit split : splits[op])
          placeIn(readings, shapes.reading(op, split, operand));
      each.sets = setsOf(readings, each.readers.size());
      each.set = addVariable(each.sets.size());
    }
    for (size_t i = 0; i < block.inputs.size(); ++i) {
      makeBorderVariable(block.inputs[i]);
      if (!repeatable || i >= block.outputs.size())
        continue;
      TensorVariables &output = variables[block.outputs[i]];
      if (!output.layout &&
          output.layouts == variables[block.inputs[i]].layouts)
        output.layout = variables[block.inputs[i]].layout;
    }
    for (TensorIndex output : block.outputs)
      makeBorderVariable(output);
  }

  void addTensor(TensorIndex tensor) {
    const TensorVariables &of = variables[tensor];
    std::vector<Variable> scope;
    if (of.producer)
      scope.push_back(Variable(*of.producer));
    if (of.set)
      scope.push_back(*of.set);
    else if (!of.readers.empty())
      scope.push_back(Variable(of.readers[0].first));
    if (of.layout)
      scope.push_back(*of.layout);
    bool isParameter = block.tensors[tensor].role == TensorRole::Parameter;

    TensorEntries entries{tensor, {}, {}, {}, {}, {}, addTable(scope)};
    if (!isParameter)
      entries.kept = of.layouts;
    eachValue(scope, [&](const std::vector<size_t> &values) {
      size_t next = 0;
      std::optional<TensorLayout> from;
      if (of.producer)
        from = shapes.resultLayout(
            *of.producer, splits[*of.producer][values[next++]], of.result);
      ReadingSet readings;
      if (of.set) {
        readings = of.sets[values[next++]];
      } else if (!of.readers.empty()) {
        auto [op, operand] = of.readers[0];
        readings.insert(
            shapes.reading(op, splits[op][values[next++]], operand));
      }
      size_t kept = 0, keptEnd = entries.kept.size();
      if (isParameter)
        kept = placeIn(entries.kept, BlockShapes::parameterLayout(readings));
      else if (of.layout)
        kept = values[next];
      if (isParameter || of.layout)
        keptEnd = kept + 1;
      TensorEntries::Cell cell{placeIn(entries.from, from), kept, keptEnd,
                               placeIn(entries.readings, readings)};
      entries.cellOf.push_back(placeIn(entries.cells, cell));
    });
    outline.tensors.push_back(std::move(entries));
  }

  /// Lets an op read its operand only in one of the layouts it is available
  /// in.
  void addReader(TensorIndex tensor, OpIndex op, unsigned operand) {
    const TensorVariables &of = variables[tensor];
    size_t entry = addTable({Variable(op), *of.set});
    for (OpSplit split : splits[op]) {
      Reading reading = shapes.reading(op, split, operand);
      for (const ReadingSet &set : of.sets) {
        if (set.contains(reading))
          outline.free.push_back(entry);
        ++entry;
      }
    }
  }

  /// Variables that share a table with it.
  std::vector<Variable> neighbours(Variable variable) const {
    std::vector<Variable> found;
    for (const Table &table : tables)
      if (table.isOpen && std::ranges::count(table.scope, variable))
        for (Variable other : table.scope)
          if (other != variable && !std::ranges::count(found, other))
            found.push_back(other);
    return found;
  }

  size_t positionIn(const Table &table,
                    const std::vector<size_t> &valueOf) const {
    size_t position = 0;
    for (Variable variable : table.scope)
      position = position * sizes[variable] + valueOf[variable];
    return table.begin + position;
  }

  size_t strideOf(Variable variable, const Table &table) const {
    size_t stride = 1;
    for (size_t i = table.scope.size(); table.scope[--i] != variable;)
      stride *= sizes[table.scope[i]];
    return stride;
  }

  /// Variables that make the smallest tables first.
  void eliminate() {
    std::vector<std::pair<size_t, Variable>> left;
    for (Variable variable = 0; variable < sizes.size(); ++variable)
      if (!std::ranges::count(borders, variable))
        left.push_back({product(neighbours(variable), sizes), variable});
    while (!left.empty()) {
      auto next = std::ranges::min_element(left);
      Variable variable = next->second;
      left.erase(next);
      std::vector<Variable> scope = neighbours(variable);
      eliminate(variable, scope);
      for (auto &[size, other] : left)
        if (std::ranges::count(scope, other))
          size = product(neighbours(other), sizes);
    }
  }

  void eliminate(Variable variable, const std::vector<Variable> &scope) {
    Step step{0, sizes[variable], {}};
    for (Table &table : tables) {
      if (!table.isOpen || !std::ranges::count(table.scope, variable))
        continue;
      table.isOpen = false;
      std::vector<size_t> valueOf(sizes.size(), 0);
      Part part{{}, strideOf(variable, table)};
      eachValue(scope, [&](const std::vector<size_t> &values) {
        for (size_t i = 0; i < scope.size(); ++i)
          valueOf[scope[i]] = values[i];
        part.entries.push_back(positionIn(table, valueOf));
      });
      step.parts.push_back(std::move(part));
    }
    if (step.parts.empty())
      return;
    step.begin = addTable(scope);
    outline.steps.push_back(std::move(step));
  }

  void addBorders() {
    std::vector<size_t> valueOf(sizes.size(), 0);
    eachValue(borders, [&](const std::vector<size_t> &values) {
      for (size_t i = 0; i < borders.size(); ++i)
        valueOf[borders[i]] = values[i];
      auto layoutOf = [&](TensorIndex tensor) {
        const TensorVariables &border = variables[tensor];
        return border.layouts[valueOf[*border.layout]];
      };
      if (repeatable && !std::ranges::equal(block.inputs, block.outputs, {},
                                            layoutOf, layoutOf))
        return;
      std::vector<size_t> &entries = outline.borders.emplace_back();
      for (const Table &table : tables)
        if (table.isOpen)
          entries.push_back(positionIn(table, valueOf));
    });
  }

  BlockOutline &outline;
  const Block &block;
  const BlockShapes &shapes;
  bool repeatable;
  std::vector<size_t> sizes;
  std::vector<std::vector<OpSplit>> splits;
  std::vector<TensorVariables> variables;
  std::vector<Table> tables;
  size_t entryCount = 0;
  /// Of inputs and outputs, each once.
  std::vector<Variable> borders;
};

BlockOutline::BlockOutline(const Block &block, const BlockShapes &shapes,
                           bool repeatable) {
  Builder(*this, block, shapes, repeatable).run();
}

} // namespace shardsmith::blocks
