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
//
// `Costs` is that of a `TableSum`, with `offer(entry, costs, decision)`, which
// makes the entry the best of itself and that, and `countsMemory`.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_BLOCKSUM_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_BLOCKSUM_H

#include "Decisions.h"
#include "TableSum.h"

#include "shardsmith/Cost/UnitCosts.h"

#include <bit>

namespace shardsmith::blocks {

/// All sets of one to `most` of the readings.
inline std::vector<ReadingSet> setsOf(const std::vector<Reading> &readings,
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

template <typename Costs> class BlockSum {
public:
  /// With `repeatable` outputs have the layouts of the inputs.
  BlockSum(const UnitCostModel &model, Costs &costs, bool repeatable)
      : model(model), block(model.block()), shapes(model.shapes()),
        costs(costs), repeatable(repeatable), sum(costs),
        tensors(block.tensors.size()) {
    makeVariables();
    for (workload::OpIndex op = 0; op < block.ops.size(); ++op)
      addOp(op);
    for (workload::TensorIndex tensor = 0; tensor < tensors.size(); ++tensor) {
      if (!hasLayout(tensor))
        continue;
      addTensor(tensor);
      if (tensors[tensor].set)
        for (auto [op, operand] : tensors[tensor].readers)
          addReader(tensor, op, operand);
    }
    sum.eliminateAllBut(borders);
  }

  /// Calls `visit(entry)` for all layouts of inputs and outputs together.
  template <typename Visit> void visitBorders(Visit visit) {
    std::vector<uint32_t> values(borders.size(), 0);
    do {
      auto layoutOf = [&](workload::TensorIndex tensor) {
        auto place = std::ranges::find(borders, *tensors[tensor].layout);
        return tensors[tensor].layouts[values[place - borders.begin()]];
      };
      if (!repeatable || std::ranges::equal(block.inputs, block.outputs, {},
                                            layoutOf, layoutOf))
        visit(sum.total(borders, values));
    } while (sum.advance(borders, values));
  }

  /// See TableSum.h.
  auto completions() { return sum.completions(borders); }

  OpSplit split(workload::OpIndex op, uint32_t value) const {
    return splits[op][value];
  }
  TensorLayout layout(workload::TensorIndex tensor, uint32_t value) const {
    return tensors[tensor].layouts[value];
  }

private:
  struct TensorVariables {
    std::optional<workload::OpIndex> producer;
    unsigned result = 0;
    std::vector<std::pair<workload::OpIndex, unsigned>> readers;
    std::vector<TensorLayout> layouts;
    std::optional<Variable> layout;
    /// Sets of readings to choose from, where there are several readers.
    std::vector<ReadingSet> sets;
    std::optional<Variable> set;
  };

  bool hasLayout(workload::TensorIndex tensor) const {
    workload::TensorRole role = block.tensors[tensor].role;
    return role == workload::TensorRole::Activation ||
           role == workload::TensorRole::Parameter;
  }

  void makeBorderVariable(workload::TensorIndex tensor) {
    TensorVariables &variables = tensors[tensor];
    if (variables.layout)
      return;
    variables.layout = sum.addVariable(variables.layouts.size());
    borders.push_back(*variables.layout);
  }

  void makeVariables() {
    for (workload::OpIndex op = 0; op < block.ops.size(); ++op) {
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
    for (workload::TensorIndex tensor = 0; tensor < tensors.size(); ++tensor) {
      TensorVariables &variables = tensors[tensor];
      variables.layouts = shapes.layouts(tensor);
      if (variables.readers.size() < 2 || !hasLayout(tensor))
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
    for (workload::TensorIndex output : block.outputs)
      makeBorderVariable(output);
  }

  void addOp(workload::OpIndex op) {
    size_t table = sum.addTable({op});
    for (uint32_t i = 0; i < splits[op].size(); ++i) {
      const UnitCosts &price = model.op(op, splits[op][i]);
      if (!price.forward.isSaturated())
        costs.offer(sum.entry(table, {i}), price, Decision::split(op, i));
    }
  }

  /// Lets an op read its operand only in one of the layouts it is available
  /// in.
  void addReader(workload::TensorIndex tensor, workload::OpIndex op,
                 unsigned operand) {
    const TensorVariables &variables = tensors[tensor];
    size_t table = sum.addTable({op, *variables.set});
    for (uint32_t i = 0; i < splits[op].size(); ++i) {
      Reading reading = shapes.reading(op, splits[op][i], operand);
      for (uint32_t set = 0; set < variables.sets.size(); ++set)
        if (variables.sets[set].contains(reading))
          sum.entry(table, {i, set}) = costs.nothing();
    }
  }

  /// Offers what it costs to make the tensor in `from`, keep it in `kept`, and
  /// read it.
  void offer(Costs::Entry &entry, workload::TensorIndex tensor,
             std::optional<TensorLayout> from, TensorLayout kept,
             ReadingSet readings) {
    UnitCosts price = model.read(tensor, kept, readings);
    if constexpr (Costs::countsMemory)
      price += model.hold(tensor, kept);
    if (from)
      price += model.store(tensor, *from, kept);
    const std::vector<TensorLayout> &layouts = tensors[tensor].layouts;
    auto value = std::ranges::find(layouts, kept) - layouts.begin();
    costs.offer(entry, price, Decision::kept(tensor, uint32_t(value)));
  }

  // The table is over any of: the producer's split, the reader's split or the
  // set of readings, the layout at the border.
  void addTensor(workload::TensorIndex tensor) {
    const TensorVariables &variables = tensors[tensor];
    bool isParameter =
        block.tensors[tensor].role == workload::TensorRole::Parameter;
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
        readings.insert(
            shapes.reading(op, splits[op][values[next++]], operand));
      }
      typename Costs::Entry &entry = sum.entry(table, values);
      if (isParameter)
        offer(entry, tensor, from, BlockShapes::parameterLayout(readings),
              readings);
      else if (variables.layout)
        offer(entry, tensor, from, variables.layouts[values[next]], readings);
      else
        for (TensorLayout kept : variables.layouts)
          offer(entry, tensor, from, kept, readings);
    } while (sum.advance(scope, values));
  }

  const UnitCostModel &model;
  const workload::Block &block;
  const BlockShapes &shapes;
  Costs &costs;
  bool repeatable;
  TableSum<Costs> sum;
  std::vector<std::vector<OpSplit>> splits;
  std::vector<TensorVariables> tensors;
  /// Of inputs and outputs, each once.
  std::vector<Variable> borders;
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_BLOCKSUM_H
