// SPDX-License-Identifier: Apache-2.0
//
// Every split and every layout of a small block.

#ifndef SHARDSMITH_TEST_UNIT_PLAN_BLOCKS_BLOCKENUMERATION_H
#define SHARDSMITH_TEST_UNIT_PLAN_BLOCKS_BLOCKENUMERATION_H

#include "shardsmith/Plan/Blocks/BlockTable.h"

#include <functional>
#include <map>
#include <set>

namespace shardsmith {

using namespace workload;

using Border = std::pair<std::vector<TensorLayout>, std::vector<TensorLayout>>;
using Numbers = std::vector<int64_t>;

/// What BlockTable.h says layouts are compared by: the times of the whole
/// block, and each tensor's memory in whole grains.
inline Numbers numbersOf(const UnitCostModel &model,
                         const BlockLayout &layout) {
  const Block &block = model.block();
  const BlockShapes &shapes = model.shapes();
  EpsilonGrid grid(model);
  UnitCosts costs = model.price(layout);
  Nanoseconds time = costs.forward + costs.forwardCommunication.sum() +
                     costs.backwardInput + costs.backwardWeight +
                     costs.backwardCommunication.sum();
  Numbers numbers = {time.count(),
                     (time + costs.recompute[1]).count(),
                     (time + costs.recompute[2]).count(),
                     0,
                     0,
                     0,
                     0,
                     0,
                     0,
                     grid.ofBytes(costs.transient)};
  for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor) {
    TensorLayout kept = layout.tensors[tensor];
    UnitCosts held = model.hold(tensor, kept);
    for (int choice = 0; choice < recomputeChoices; ++choice)
      numbers[3 + choice] += grid.ofBytes(held.saved[choice]);
    numbers[6] += grid.ofParameters(held.denseParameters);
    numbers[7] += grid.ofParameters(held.expertParameters);
    ReadingSet readings;
    for (OpIndex op = 0; op < block.ops.size(); ++op)
      for (unsigned i = 0; i < block.ops[op].operands.size(); ++i)
        if (block.ops[op].operands[i].tensor == tensor)
          readings.insert(shapes.reading(op, layout.ops[op], i));
    numbers[8] +=
        grid.ofParameters(model.read(tensor, kept, readings).partialParameters);
  }
  // Sums over the tensor axis that selective recomputation keeps.
  for (OpIndex op = 0; op < block.ops.size(); ++op)
    for (unsigned i = 0; i < block.ops[op].results.size(); ++i) {
      TensorIndex tensor = block.ops[op].results[i].tensor;
      UnitCosts stored =
          model.store(tensor, shapes.resultLayout(op, layout.ops[op], i),
                      layout.tensors[tensor]);
      for (int choice = 0; choice < recomputeChoices; ++choice)
        numbers[3 + choice] += grid.ofBytes(stored.saved[choice]);
    }
  return numbers;
}

inline bool noWorse(const Numbers &a, const Numbers &b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] > b[i])
      return false;
  return true;
}

class Enumeration {
public:
  /// `splits` and `ranks`, which keep parameters, are those of the model.
  explicit Enumeration(const UnitCostModel &model, BlockSplits splits = {},
                       int64_t ranks = 1)
      : model(model), block(model.block()), shapes(model.shapes()),
        splits(std::move(splits)), ranks(ranks) {
    layout = unsplitLayout(block);
  }

  /// Layouts to look at.
  double count() const {
    double product = 1;
    for (OpIndex op = 0; op < block.ops.size(); ++op)
      product *= double(shapes.splits(op).size());
    for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor)
      product *= double(shapes.layouts(tensor).size());
    return product;
  }

  /// Per border the numbers that no others are better than.
  std::map<Border, std::set<Numbers>> run() {
    return run(
        [&](const BlockLayout &layout) { return numbersOf(model, layout); });
  }
  /// The same with `numbersOf(layout)`.
  template <typename NumbersOf>
  std::map<Border, std::set<Numbers>> run(NumbersOf numbersOf) {
    std::map<Border, std::set<Numbers>> fronts;
    each([&](const Border &border, const BlockLayout &layout) {
      Numbers numbers = numbersOf(layout);
      std::set<Numbers> &front = fronts[border];
      for (const Numbers &other : front)
        if (noWorse(other, numbers))
          return;
      std::erase_if(front,
                    [&](auto &other) { return noWorse(numbers, other); });
      front.insert(numbers);
    });
    return fronts;
  }

  /// Calls `visit(border, layout)` for every layout.
  void each(std::function<void(const Border &, const BlockLayout &)> visitor) {
    visit = std::move(visitor);
    chooseOp(0);
  }

private:
  void chooseOp(OpIndex op) {
    if (op == block.ops.size())
      return chooseTensor(0);
    for (OpSplit split : shapes.splits(op)) {
      layout.ops[op] = split;
      chooseOp(op + 1);
    }
  }

  void chooseTensor(TensorIndex tensor) {
    if (tensor == block.tensors.size())
      return record();
    if (block.tensors[tensor].role == TensorRole::Parameter) {
      layout.tensors[tensor] = parameterLayout(tensor);
      return chooseTensor(tensor + 1);
    }
    for (TensorLayout kept : shapes.layouts(tensor)) {
      layout.tensors[tensor] = kept;
      chooseTensor(tensor + 1);
    }
  }

  /// As all its readers have it, or whole.
  TensorLayout parameterLayout(TensorIndex parameter) const {
    std::set<TensorLayout> seen;
    for (OpIndex op = 0; op < block.ops.size(); ++op)
      for (unsigned i = 0; i < block.ops[op].operands.size(); ++i)
        if (block.ops[op].operands[i].tensor == parameter)
          seen.insert(shapes.reading(op, layout.ops[op], i).layout);
    TensorLayout shared =
        seen.size() == 1 ? *seen.begin() : TensorLayout::whole();
    if (shared.kind != TensorLayout::Kind::Split || splits.empty() ||
        splits[parameter].empty())
      return shared;
    int64_t number = splits[parameter][shared.dim];
    return number % ranks == 0 ? shared : TensorLayout::whole();
  }

  void record() {
    Border border;
    for (TensorIndex input : block.inputs)
      border.first.push_back(layout.tensors[input]);
    for (TensorIndex output : block.outputs)
      border.second.push_back(layout.tensors[output]);
    visit(border, layout);
  }

  const UnitCostModel &model;
  const Block &block;
  const BlockShapes &shapes;
  BlockSplits splits;
  int64_t ranks;
  BlockLayout layout;
  std::function<void(const Border &, const BlockLayout &)> visit;
};

} // namespace shardsmith

#endif // SHARDSMITH_TEST_UNIT_PLAN_BLOCKS_BLOCKENUMERATION_H
